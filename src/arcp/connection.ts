/**
 * One ARCP connection: hello or resume, welcome, then requests in the order of arrival, and in parallel
 * the session's stream. It owns the socket and the state of the connection. Everything that must outlive
 * the connection is stored in the session.
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

/** Placeholder for frames that need a session id before there is a session. */
const NO_SESSION = "ses_none";

/** A processed message, for the log. */
interface ProcessedMessage {
  readonly type: string;
  readonly sessionId: SessionId | undefined;
  readonly code: string | undefined;
  readonly startedAt: number;
  /** What was thrown, if it is a bug. */
  readonly error?: unknown;
}
export type MessageReporter = (processed: ProcessedMessage) => void;

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
  /** The welcome of a resume counts as delivered when the next frame arrives. */
  #isUnconfirmed = false;
  readonly #inbox = new Inbox();
  readonly #report: MessageReporter;
  /** The failure code of the message that is being processed. */
  #code: string | undefined;

  constructor(gateways: Gateways, socket: WebSocket, heartbeatMs: number, report: MessageReporter) {
    this.#report = report;
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
    const credential = this.#context?.session.credential;
    if (credential === undefined) return;
    this.#inbox.enqueueInternal(
      async () => {
        const reply = this.#isClosed
          ? null
          : await this.#gateways.arcp.save(credential, "arcpConfirm", {});
        // It did not reach the session in time: the next frame confirms again.
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

  /** Messages that must not wait in the queue, because queued work may wait for them. */
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
    const isHandshake = type === "session.hello" || type === "session.resume";
    if (this.#context === null) {
      if (isHandshake) return this.#handleHello(message);
      return this.#refuse(invalid("send session.hello first"), message.id);
    }
    if (isHandshake) return this.#refuse(invalid("hello was already sent"), message.id);
    const namedSession = message.session_id;
    if (typeof namedSession === "string" && namedSession !== this.#sessionId) {
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
    const handshake = await acceptHello(this.#gateways.arcp, message);
    if (!handshake.ok) return this.#refuseAndClose(handshake.error, message.id);
    if (this.#isClosed) return;
    this.#isUnconfirmed = handshake.value.isResume;
    await this.#welcome(handshake.value, agents.value, message.id);
  }

  async #welcome(handshake: Handshake, agents: readonly AgentEntry[], requestId: string) {
    const { session, bearer, features, lastEventSeq } = handshake;
    const { arcp, sessions } = this.#gateways;
    const stream = new SessionStream(sessions, arcp, session, lastEventSeq, features, {
      send: (text) => this.#sendText(text),
      settled: () => this.#inbox.settled,
      close: (code, reason) => this.#close(code, reason),
    });
    // From here on, closing the connection also closes the stream, even while it starts.
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
        handshake,
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
      const error = errorOf(
        "HEARTBEAT_LOST",
        "No message arrived for two intervals; jobs continue.",
      );
      this.#fail(error);
      return;
    }
    const nonce = crypto.randomUUID();
    this.#send({ type: "session.ping", payload: { nonce, sent_at: new Date().toISOString() } });
  }

  /** Reports the failure and keeps the connection open. */
  #refuse(failure: Failure, requestId: string | null, jobId?: string): void {
    if (requestId !== null) this.#code = failure.code;
    const payload = withRequest(payloadOf(failure), requestId);
    this.#send({ type: "session.error", payload, job_id: jobId });
    // A newer connection has taken over the session.
    if (failure.code === "token_superseded") this.#close(CLOSE_CODES.superseded, "superseded");
  }

  #refuseAndClose(failure: Failure, requestId: string): void {
    this.#code = failure.code;
    this.#fail(payloadOf(failure), requestId);
  }

  /** Reports the error and closes the connection. */
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
      // The socket has already failed.
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
