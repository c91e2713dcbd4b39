/**
 * The session's stream towards one connection: what was missed, then what happens, each event once
 * and in its place. The follower makes the seam exact; here it is checked once more by number.
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
  /** Resolves when every request so far is answered: an accept goes before its job's events. */
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
    taken: ArcpSession,
    lastEventSeq: number,
    features: readonly Feature[],
    outlet: StreamOutlet,
  ) {
    this.#arcp = arcp;
    this.#session = taken;
    this.#last = lastEventSeq;
    this.#outlet = outlet;
    this.#canPing = features.includes("heartbeat");
    this.flow = new Flow(FLOW, this.#canPing || features.includes("ack"));
    this.#follower = sessions.follow(taken.credential, taken.after, NUMBERED_TYPES);
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

  /** False when the stream is over. */
  async #deliver(event: LogEvent): Promise<boolean> {
    const number = Number(event.payload["eventSeq"]);
    // A replay begins with a whole commit, of which the first events may be known.
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
    // Not sent, nor is what follows; the follower says why.
    if (!this.#follower.isAdmitted && !(await this.#follower.readmit())) return true;
    const { sessionId } = this.#session.credential;
    const text = encodeFrame(sessionId, eventFrame(sessionId, event));
    this.#outlet.send(text);
    this.#last = number;
    this.flow.recordSent(text.length, number);
    if (this.#canPing && this.flow.needsProbe) this.#probe();
    return true;
  }

  /** Behind what was just sent, so that its pong says that all of it arrived. */
  #probe(): void {
    const nonce = crypto.randomUUID();
    this.flow.probe(nonce);
    const payload = { nonce, sent_at: new Date().toISOString() };
    const { sessionId } = this.#session.credential;
    this.#outlet.send(encodeFrame(sessionId, { type: "session.ping", payload }));
  }

  /** Once a connection: the log says that the client does not keep up. */
  #reportBackPressure(jobId: string): void {
    const job = parseJobId(jobId);
    const { credential } = this.#session;
    if (this.#hasBackPressure || job?.objectIdHex !== credential.objectIdHex) return;
    this.#hasBackPressure = true;
    const body = {
      phase: "back_pressure",
      message: "The client reads events more slowly than they arrive.",
    };
    const noted = { number: job.number, event: { kind: "status", body } };
    void this.#arcp.save(credential, "noteJob", noted).catch(() => {});
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
