/**
 * The WebSocket `baton.v1`: accepted and checked in the Worker, fed by a follower. The conversation is:
 * hello, welcome, events, `replay.done`, live events; appends and acks in between.
 */
import type { EndReason } from "../domain/log/end-reason";
import { seqInLine, linesIn } from "../domain/log/event-line";
import { invalid, type Failure } from "../domain/failure";
import { CLOSE_CODES } from "../domain/log/listener-protocol";
import type { Follower } from "../gateway/follower";
import type { Step } from "../gateway/feed";
import type { Gateway, GatewayRefusal } from "../gateway/gateway";
import { underLease, type UnverifiedCredential } from "../gateway/session-calls";
import { parseJson } from "../protocol/parse-json";
import { STATUS, toProblem } from "../protocol/problem";
import { clientMessage, HELLO_MS, type ClientMessage } from "../protocol/socket";
import { Unacknowledged } from "./unacknowledged";

type Hello = Extract<ClientMessage, { type: "hello" }>;
type Append = Extract<ClientMessage, { type: "append" }>;

export class SocketConversation {
  readonly #gateway: Gateway;
  readonly #ref: string;
  readonly #socket: WebSocket;
  readonly #unacknowledged = new Unacknowledged();
  readonly #helloTimer: ReturnType<typeof setTimeout>;
  #credential: UnverifiedCredential | null;
  #follower: Follower | null = null;
  #hasHello = false;
  #isClosed = false;
  /** Why the log may no longer be read, although the client may not have received every event. */
  #cutOff: EndReason | null = null;
  /** Messages are answered in the order of arrival. */
  #queue: Promise<void> = Promise.resolve();

  /** `credential` is already verified, or null if the hello has the token. */
  constructor(
    gateway: Gateway,
    ref: string,
    socket: WebSocket,
    credential: UnverifiedCredential | null,
  ) {
    this.#gateway = gateway;
    this.#ref = ref;
    this.#socket = socket;
    this.#credential = credential;
    this.#helloTimer = setTimeout(() => {
      this.#fail(invalid(`no hello within ${HELLO_MS} ms`));
    }, HELLO_MS);
  }

  listen(): void {
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
    this.#socket.addEventListener("close", () => this.#end());
    this.#socket.addEventListener("error", () => this.#end());
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    const message = readMessage(data);
    if (!message.ok) {
      this.#fail(message.error);
      return;
    }
    // An ack must not wait behind the events that it releases.
    if (message.value.type === "ack") this.#unacknowledged.acknowledge(message.value.seq);
    else if (message.value.type === "ping") this.#send(`{"type":"pong"}`);
    else this.#enqueue(message.value);
  }

  #enqueue(message: Hello | Append): void {
    this.#queue = this.#queue
      .then(() => (message.type === "hello" ? this.#handleHello(message) : this.#append(message)))
      .catch(() => this.#fail({ code: "internal" }));
  }

  async #handleHello(hello: Hello): Promise<void> {
    if (this.#hasHello) return this.#fail(invalid("hello was already sent"));
    this.#hasHello = true;
    clearTimeout(this.#helloTimer);
    if (hello.token !== undefined) {
      const credential = await this.#gateway.readCredential(this.#ref, `Bearer ${hello.token}`);
      if (!credential.ok) return this.#fail(credential.error);
      this.#credential = credential.value;
    }
    if (this.#credential === null) return this.#fail({ code: "credential_missing" });
    if (hello.lease !== undefined && hello.resume !== true) {
      const held = await this.#gateway.get(underLease(this.#credential, hello.lease));
      if (!held.ok) return this.#refuse(held);
    }
    const resumed = hello.resume === true ? await this.#resume(this.#credential, hello) : null;
    if (this.#isClosed || this.#credential === null) return;
    const after = resumed?.after ?? hello.after ?? null;
    const follower = this.#gateway.follow(this.#credential, after, hello.types ?? []);
    // From here on, closing the connection also closes the follower, even in the middle of this method:
    // once the client is gone, the platform does not continue code that waits here.
    this.#follower = follower;
    follower.onCutOff = (reason) => {
      this.#cutOff = reason;
      this.#unacknowledged.release();
    };
    const [first, session] = [await follower.start(), await this.#gateway.get(this.#credential)];
    if (!first.ok) return this.#refuse(first);
    if (!session.ok) return this.#refuse(session);
    if (this.#isClosed) return;
    const token = resumed === null ? {} : { resumeToken: resumed.token };
    this.#send(
      JSON.stringify({ type: "welcome", session: session.value, head: first.value.head, ...token }),
    );
    void this.#pump(follower).catch(() => this.#close(CLOSE_CODES.restart, "restart"));
  }

  /** Continues with the new token, from the start of the resume's own replay. */
  async #resume(credential: UnverifiedCredential, hello: Hello) {
    const command = { operation: "resume", lastEventSeq: hello.after } as const;
    const options = { ifMatch: null, idempotencyKey: hello.id ?? null };
    const { lease } = hello;
    const sender = lease === undefined ? credential : underLease(credential, lease);
    const reply = await this.#gateway.write(sender, command, options);
    if (!reply.ok) {
      this.#refuse(reply);
      return null;
    }
    const { resumeToken, outcome } = reply.value;
    const next = await this.#gateway.readCredential(this.#ref, `Bearer ${resumeToken}`);
    if (!next.ok) throw new Error("a token just issued is well formed");
    this.#credential = next.value;
    return { token: resumeToken, after: Number(outcome["after"]) };
  }

  async #append({ id, events, expectedHead, lease }: Append): Promise<void> {
    if (this.#credential === null || !this.#hasHello)
      return this.#fail(invalid("send hello first"));
    const appended = events as Parameters<Gateway["append"]>[1];
    const options = { ifMatch: null, idempotencyKey: id };
    const credential = lease === undefined ? this.#credential : underLease(this.#credential, lease);
    const reply = await this.#gateway.append(credential, appended, expectedHead ?? null, options);
    if (!reply.ok) {
      this.#send(JSON.stringify({ type: "error", id, problem: problemOf(reply) }));
      return;
    }
    const { first, last } = reply.value;
    this.#send(JSON.stringify({ type: "appended", id, first, last }));
  }

  async #pump(follower: Follower): Promise<void> {
    for (;;) {
      const step = await follower.next();
      if (this.#isClosed) return;
      if (step.kind === "events") {
        if (!(await this.#sendEvents(follower, step))) return;
      } else if (step.kind === "replayed") {
        this.#send(`{"type":"replay.done","head":${step.head}}`);
      } else if (step.kind === "end") {
        return this.#sendEnd(step.reason, step.cursor);
      } else {
        return this.#close(CLOSE_CODES.restart, "restart");
      }
    }
  }

  /** False if the connection has ended: the client lags too far and must reconnect, or access has ended. */
  async #sendEvents(follower: Follower, { texts }: Extract<Step, { kind: "events" }>) {
    for (const line of linesIn(texts)) {
      const seq = seqInLine(line);
      const capacity = await this.#unacknowledged.awaitCapacity(line.length);
      if (this.#isClosed) return false;
      if (capacity === "over" && this.#cutOff !== null) this.#sendEnd(this.#cutOff, seq - 1);
      if (capacity !== "room") {
        this.#close(CLOSE_CODES.too_slow, `too slow; continue after ${seq - 1}`);
        return false;
      }
      // The rest is not sent; the next step has the reason.
      if (!follower.isAdmitted && !(await follower.readmit())) return true;
      this.#unacknowledged.add(seq, line.length);
      this.#send(`{"type":"event","event":${line}}`);
    }
    return true;
  }

  #sendEnd(reason: EndReason, lastSeq: number): void {
    this.#send(JSON.stringify({ type: "end", reason, lastSeq }));
    this.#close(CLOSE_CODES[reason], reason);
  }

  #refuse(refusal: GatewayRefusal): void {
    // Queued messages are not processed: the client was told that the connection has ended.
    this.#credential = null;
    this.#send(JSON.stringify({ type: "error", problem: problemOf(refusal) }));
    this.#close(closingCode(refusal.failure), closingReason(refusal.failure));
  }

  #fail(failure: Failure): void {
    this.#refuse({ ok: false, failure });
  }

  #send(text: string): void {
    if (!this.#isClosed) this.#socket.send(text);
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#end();
    this.#socket.close(code, reason);
  }

  #end(): void {
    this.#isClosed = true;
    clearTimeout(this.#helloTimer);
    this.#unacknowledged.release();
    this.#follower?.close();
  }
}

const problemOf = ({ failure, ...context }: GatewayRefusal): ReturnType<typeof toProblem> =>
  toProblem(failure, context as Parameters<typeof toProblem>[1]);

function readMessage(data: unknown): ReturnType<typeof parseJson<ClientMessage>> {
  if (typeof data !== "string")
    return { ok: false, error: invalid("a message must be a text frame") };
  return parseJson(data, clientMessage);
}

const closingReason = ({ code }: Failure): string =>
  code === "token_superseded" ? "superseded" : code;

/** The close code after a refusal: by its code, or else by its HTTP status. */
export function closingCode({ code }: Failure): number {
  switch (code) {
    case "expired":
    case "gone":
    case "not_configured":
      return CLOSE_CODES[code];
    case "token_superseded":
      return CLOSE_CODES.superseded;
    case "busy":
      return CLOSE_CODES.restart;
    case "idempotency_mismatch":
      return CLOSE_CODES.refused;
  }
  const status = STATUS[code];
  if (status === 401 || status === 403) return CLOSE_CODES.revoked;
  if (status === 429 || status >= 500) return CLOSE_CODES.restart;
  const isRefused = status === 404 || status === 409 || status === 412;
  return isRefused ? CLOSE_CODES.refused : CLOSE_CODES.protocol_error;
}
