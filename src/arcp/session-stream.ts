/**
 * Sends the session's events to one connection: the missed ones, then new ones, each event once and in
 * order. The follower guarantees that there is no gap; the event numbers are checked here again.
 */
import { eventsIn } from "../domain/log/event-line";
import type { LogEvent } from "../domain/log/event";
import type { Failure } from "../domain/failure";
import { parseJobId } from "../domain/jobs/job";
import { NUMBERED_TYPES } from "../domain/jobs/job-rules";
import { LIMITS } from "../domain/limits";
import { CLOSE_CODES } from "../domain/log/listener-protocol";
import type { ArcpGateway, ArcpSession } from "../gateway/arcp-gateway";
import type { Follower } from "../gateway/follower";
import type { Gateway } from "../gateway/gateway";
import { errorOf } from "./errors";
import type { Feature } from "./features";
import { Flow } from "./flow";
import { encodeFrame, eventFrame } from "./outgoing-frame";

const FLOW = {
  window: LIMITS.unacknowledgedBytes,
  silent: 8 * LIMITS.unacknowledgedBytes,
  waitMs: 60_000,
} as const;

interface StreamOutlet {
  send(text: string): void;
  /** Resolves when every request so far is answered: `job.accepted` must precede the job's events. */
  settled(): Promise<void>;
  close(code: number, reason: string): void;
}

export class SessionStream {
  readonly flow: Flow;
  readonly #arcp: ArcpGateway;
  readonly #session: ArcpSession;
  readonly #follower: Follower;
  readonly #outlet: StreamOutlet;
  readonly #canPing: boolean;
  #last: number;
  #hasBackPressure = false;
  #isClosed = false;

  constructor(
    sessions: Gateway,
    arcp: ArcpGateway,
    session: ArcpSession,
    lastEventSeq: number,
    features: readonly Feature[],
    outlet: StreamOutlet,
  ) {
    this.#arcp = arcp;
    this.#session = session;
    this.#last = lastEventSeq;
    this.#outlet = outlet;
    this.#canPing = features.includes("heartbeat");
    this.flow = new Flow(FLOW, this.#canPing || features.includes("ack"));
    this.#follower = sessions.follow(session.credential, session.after, NUMBERED_TYPES);
  }

  async start(): Promise<Failure | null> {
    const first = await this.#follower.start();
    return first.ok ? null : first.failure;
  }

  run(): void {
    void this.#pump().catch(() => this.#outlet.close(CLOSE_CODES.restart, "restart"));
  }

  close(): void {
    this.#isClosed = true;
    this.flow.release();
    this.#follower.close();
  }

  async #pump(): Promise<void> {
    for (;;) {
      const step = await this.#follower.next();
      if (this.#isClosed) return;
      if (step.kind === "events") {
        await this.#outlet.settled();
        for (const event of eventsIn(step.texts)) if (!(await this.#deliver(event))) return;
      } else if (step.kind === "end") {
        return this.#sendEnd(step.reason);
      } else if (step.kind === "lost") {
        return this.#outlet.close(CLOSE_CODES.restart, "restart");
      }
    }
  }

  /** False if the stream has ended. */
  async #deliver(event: LogEvent): Promise<boolean> {
    const number = Number(event.payload["eventSeq"]);
    // A replay starts with a whole commit, so the client may already have its first events.
    if (number <= this.#last) return true;
    if (number !== this.#last + 1) throw new Error("an event is missing");
    if (this.flow.isFull) {
      this.#reportBackPressure(String(event.payload["jobId"]));
      if (!(await this.flow.awaitCapacity())) {
        this.#outlet.close(CLOSE_CODES.too_slow, `too slow; resume after ${this.#last}`);
        return false;
      }
    }
    if (this.#isClosed) return false;
    // Neither this event nor the following ones are sent; the next step has the reason.
    if (!this.#follower.isAdmitted && !(await this.#follower.readmit())) return true;
    const { sessionId } = this.#session.credential;
    const text = encodeFrame(sessionId, eventFrame(sessionId, event));
    this.#outlet.send(text);
    this.#last = number;
    this.flow.recordSent(text.length, number);
    if (this.#canPing && this.flow.needsProbe) this.#probe();
    return true;
  }

  /** Sent after the event, so that its pong confirms the event and everything before it. */
  #probe(): void {
    const nonce = crypto.randomUUID();
    this.flow.probe(nonce);
    const payload = { nonce, sent_at: new Date().toISOString() };
    const { sessionId } = this.#session.credential;
    this.#outlet.send(encodeFrame(sessionId, { type: "session.ping", payload }));
  }

  /** Records in the log that the client does not keep up, once per connection. */
  #reportBackPressure(jobId: string): void {
    const job = parseJobId(jobId);
    const { credential } = this.#session;
    if (this.#hasBackPressure || job?.objectIdHex !== credential.objectIdHex) return;
    this.#hasBackPressure = true;
    const body = {
      phase: "back_pressure",
      message: "The client reads events more slowly than they arrive.",
    };
    const note = { number: job.number, event: { kind: "status", body } };
    void this.#arcp.save(credential, "recordJobEvent", note).catch(() => {});
  }

  #sendEnd(reason: "ended" | "expired" | "gone" | "revoked" | "superseded"): void {
    const { sessionId } = this.#session.credential;
    if (reason === "expired" || reason === "gone") {
      const payload = errorOf("RESUME_WINDOW_EXPIRED", "The session is over.");
      this.#outlet.send(encodeFrame(sessionId, { type: "session.error", payload }));
    }
    this.#outlet.send(encodeFrame(sessionId, { type: "session.closed", payload: { reason } }));
    this.#outlet.close(CLOSE_CODES[reason], reason);
  }
}
