/**
 * One ARCP connection: hello or resume, welcome, then requests in the order they came, and beside
 * them the session's stream. Owns the socket and what is remembered for its time; everything that
 * must outlive it is in the session.
 */
import type { AgentEntry } from "../domain/jobs/agents";
import { LIMITS } from "../domain/limits";
import { invalid, type Failure } from "../domain/failure";
import type { SessionId } from "../domain/ids";
import { CLOSE_CODES } from "../domain/log/listener-protocol";
import { parseAs } from "../protocol/parse-json";
import { HELLO_MS } from "../protocol/socket";
import { closingCode, errorOf, payloadOf, withRequest, type ErrorPayload } from "./errors";
import { describeAgents } from "./features";
import { acceptHello, welcomePayload, type Handshake } from "./handshake";
import { ackPayload, pingPayload, pongPayload, type Envelope, readFrame } from "./frame";
import { Inbox } from "./inbox";
import { encodeFrame, type OutgoingFrame } from "./outgoing-frame";
import { handleRequest, isRequest, type ConnectionContext, type Gateways } from "./requests";
import { SessionStream } from "./session-stream";
import { Watchers } from "./watchers";

/** Stands where a session's id must stand and there is none. */
const NO_SESSION = "ses_none";

/** A message that was worked on, for the log. */
interface ProcessedMessage {
  readonly type: string;
  readonly sessionId: SessionId | undefined;
  readonly code: string | undefined;
  readonly startedAt: number;
  /** What was thrown, where it is a bug. */
  readonly error?: unknown;
}
export type MessageReporter = (worked: ProcessedMessage) => void;

export class Connection {
  readonly #gateways: Gateways;
  readonly #socket: WebSocket;
  readonly #heartbeatMs: number;
  readonly #helloTimer: ReturnType<typeof setTimeout>;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #lastReceivedAt = Date.now();
  #context: ConnectionContext | null = null;
  #stream: SessionStream | null = null;
  #watchers: Watchers | null = null;
  #isClosed = false;
  /** The welcome of a resume counts as arrived with the first frame that follows it. */
  #isUnconfirmed = false;
  readonly #inbox = new Inbox();
  readonly #report: MessageReporter;
  /** What the message that is worked on was refused with. */
  #code: string | undefined;

  constructor(gateways: Gateways, socket: WebSocket, heartbeatMs: number, tell: MessageReporter) {
    this.#report = tell;
    this.#gateways = gateways;
    this.#socket = socket;
    this.#heartbeatMs = heartbeatMs;
    this.#helloTimer = setTimeout(() => {
      this.#fail(errorOf("UNAUTHENTICATED", `No hello came within ${HELLO_MS} ms.`));
    }, HELLO_MS);
  }

  listen(): void {
    this.#socket.addEventListener("message", ({ data }) => this.#receive(data));
    this.#socket.addEventListener("close", () => this.#end());
    this.#socket.addEventListener("error", () => this.#end());
  }

  get #sessionId(): string {
    return this.#context?.session.credential.sessionId ?? NO_SESSION;
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    this.#lastReceivedAt = Date.now();
    if (this.#isUnconfirmed) this.#confirm();
    const frame = readFrame(data);
    if (!frame.ok) {
      this.#refuse(frame.error.failure, frame.error.id);
      return;
    }
    const message = frame.value;
    if (this.#inbox.hasSeen(message.id)) return;
    if (this.#handleAtOnce(message)) return this.#inbox.remember(message.id);
    if (this.#inbox.isFull) return this.#reportFlood();
    this.#inbox.remember(message.id);
    this.#inbox.enqueue(
      async () => (this.#isClosed ? undefined : this.#processAndReport(message)),
      () => this.#refuse({ code: "internal" }, message.id),
    );
  }

  #confirm(): void {
    this.#isUnconfirmed = false;
    const presented = this.#context?.session.credential;
    if (presented === undefined) return;
    this.#inbox.enqueueInternal(
      async () => {
        const reply = this.#isClosed
          ? null
          : await this.#gateways.arcp.save(presented, "arcpConfirm", {});
        // Not told in time: the next frame says the same.
        if (reply?.ok === false && reply.failure.code === "overloaded") this.#isUnconfirmed = true;
      },
      () => this.#refuse({ code: "internal" }, null),
    );
  }

  #reportFlood(): void {
    if (!this.#inbox.startsFlood()) return;
    const details = { limit: LIMITS.arcpWaiting };
    const message = "Too many messages are waiting; later ones were dropped.";
    this.#send({ type: "session.error", payload: errorOf("INTERNAL_ERROR", message, details) });
  }

  /** What must not wait behind what it is to release. */
  #handleAtOnce({ type, payload }: Envelope): boolean {
    if (this.#context === null) return false;
    switch (type) {
      case "session.ping": {
        const { nonce } = pingPayload.safeParse(payload).data ?? {};
        const pong = { ping_nonce: nonce ?? undefined, received_at: new Date().toISOString() };
        this.#send({ type: "session.pong", payload: pong });
        return true;
      }
      case "session.pong": {
        const { ping_nonce: nonce } = pongPayload.safeParse(payload).data ?? {};
        if (typeof nonce === "string") this.#stream?.flow.confirmProbe(nonce);
        return true;
      }
      case "session.ack": {
        const ack = parseAs(ackPayload, payload);
        if (ack.ok) this.#stream?.flow.acknowledge(ack.value.last_processed_seq);
        else this.#refuse(ack.error, null);
        return true;
      }
      default:
        return false;
    }
  }

  async #processAndReport(message: Envelope): Promise<void> {
    const startedAt = Date.now();
    this.#code = undefined;
    let bug: { readonly error: unknown } | undefined;
    try {
      await this.#process(message);
    } catch (error) {
      bug = { error };
      this.#refuse({ code: "internal" }, message.id);
    }
    const type = isRequest(message.type) ? message.type : "unknown";
    const sessionId = this.#context?.session.credential.sessionId;
    this.#report({ type, sessionId, code: this.#code, startedAt, ...bug });
  }

  async #process(message: Envelope): Promise<void> {
    const { type } = message;
    const isBeginning = type === "session.hello" || type === "session.resume";
    if (this.#context === null) {
      if (isBeginning) return this.#handleHello(message);
      return this.#refuse(invalid("send session.hello first"), message.id);
    }
    if (isBeginning) return this.#refuse(invalid("hello was already sent"), message.id);
    const named = message.session_id;
    if (typeof named === "string" && named !== this.#sessionId) {
      return this.#refuse(
        invalid("this connection belongs to another session", "session_id"),
        message.id,
      );
    }
    const failure = await handleRequest(this.#context, message);
    if (failure !== null) this.#refuse(failure, message.id, message.job_id ?? undefined);
  }

  async #handleHello(message: Envelope): Promise<void> {
    clearTimeout(this.#helloTimer);
    const { agents } = this.#gateways.jobs;
    if (!agents.ok) return this.#refuseAndClose(agents.error, message.id);
    const greeted = await acceptHello(this.#gateways.arcp, message);
    if (!greeted.ok) return this.#refuseAndClose(greeted.error, message.id);
    if (this.#isClosed) return;
    this.#isUnconfirmed = greeted.value.isResume;
    await this.#welcome(greeted.value, agents.value, message.id);
  }

  async #welcome(greeted: Handshake, agents: readonly AgentEntry[], requestId: string) {
    const { session, bearer, features, lastEventSeq } = greeted;
    const { arcp, sessions } = this.#gateways;
    const stream = new SessionStream(sessions, arcp, session, lastEventSeq, features, {
      send: (text) => this.#sendText(text),
      settled: () => this.#inbox.settled,
      close: (code, reason) => this.#close(code, reason),
    });
    // From here on the end of the connection ends it too, also one that comes in the middle of this.
    this.#stream = stream;
    const failure = await stream.start();
    if (failure !== null) return this.#refuseAndClose(failure, requestId);
    if (this.#isClosed) return;
    this.#watchers = new Watchers(arcp, session.credential, bearer);
    this.#context = {
      gateways: this.#gateways,
      session,
      bearer,
      watchers: this.#watchers,
      send: (frame) => this.#send(frame),
      close: (reason) => this.#close(1000, reason),
    };
    this.#lastReceivedAt = Date.now();
    this.#send({
      type: "session.welcome",
      payload: welcomePayload(
        greeted,
        this.#heartbeatMs,
        describeAgents(agents, session.view.owner ?? null),
      ),
    });
    stream.run();
    for (const { jobId, cursor } of session.watching) this.#watchers.start(jobId, cursor);
    if (features.includes("heartbeat")) {
      this.#heartbeat = setInterval(() => this.#beat(), this.#heartbeatMs);
    }
  }

  #beat(): void {
    const silentMs = Date.now() - this.#lastReceivedAt;
    if (silentMs >= 2 * this.#heartbeatMs) {
      const lost = errorOf(
        "HEARTBEAT_LOST",
        "No message arrived for two intervals; jobs continue.",
      );
      this.#fail(lost);
      return;
    }
    const nonce = crypto.randomUUID();
    this.#send({ type: "session.ping", payload: { nonce, sent_at: new Date().toISOString() } });
  }

  /** Says what is wrong and goes on. */
  #refuse(failure: Failure, requestId: string | null, jobId?: string): void {
    if (requestId !== null) this.#code = failure.code;
    const payload = withRequest(payloadOf(failure), requestId);
    this.#send({ type: "session.error", payload, job_id: jobId });
    // A newer connection has the session: this one has nothing more to say in it.
    if (failure.code === "token_superseded") this.#close(CLOSE_CODES.superseded, "superseded");
  }

  #refuseAndClose(failure: Failure, requestId: string): void {
    this.#code = failure.code;
    this.#fail(payloadOf(failure), requestId);
  }

  /** Says what is wrong and ends. */
  #fail(payload: ErrorPayload, requestId: string | null = null): void {
    this.#send({ type: "session.error", payload: withRequest(payload, requestId) });
    this.#close(closingCode(payload), payload.code);
  }

  #send(frame: OutgoingFrame): void {
    this.#sendText(encodeFrame(this.#sessionId, frame));
  }

  #sendText(text: string): void {
    if (this.#isClosed) return;
    try {
      this.#socket.send(text);
    } catch {
      this.#end();
    }
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#end();
    try {
      this.#socket.close(code, reason);
    } catch {
      // It broke by itself.
    }
  }

  #end(): void {
    this.#isClosed = true;
    clearTimeout(this.#helloTimer);
    clearInterval(this.#heartbeat);
    this.#stream?.close();
    this.#watchers?.close();
  }
}
