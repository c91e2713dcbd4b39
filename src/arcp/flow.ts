/**
 * Limits how far a client may lag. The platform queues sent frames without limit and does not report how
 * many, so only the client can tell: by its acks, and by its pongs to pings that were sent after the
 * events. A client that confirms nothing may lag further; it is then disconnected, and continues by a
 * resume.
 */
import { Sleeper } from "../gateway/sleeper";

interface FlowLimits {
  /** Sent but unconfirmed bytes above which the server waits for the client. */
  readonly window: number;
  /** The same for a client that confirms nothing. */
  readonly silent: number;
  readonly waitMs: number;
}

export class Flow {
  readonly #limits: FlowLimits;
  readonly #isConfirming: boolean;
  #sent = 0;
  #confirmed = 0;
  #marks: { readonly seq: number; readonly sent: number }[] = [];
  readonly #probes = new Map<string, number>();
  #isReleased = false;
  readonly #sleeper = new Sleeper();

  constructor(limits: FlowLimits, isConfirming: boolean) {
    this.#limits = limits;
    this.#isConfirming = isConfirming;
  }

  get lag(): number {
    return this.#sent - this.#confirmed;
  }

  /** Must the server wait for the client? */
  get isFull(): boolean {
    return this.lag > (this.#isConfirming ? this.#limits.window : this.#limits.silent);
  }

  /** More than half of the window is used and no ping is pending that would confirm it. */
  get needsProbe(): boolean {
    return this.lag > this.#limits.window / 2 && this.#probes.size === 0;
  }

  recordSent(bytes: number, seq: number): void {
    this.#sent += bytes;
    this.#marks.push({ seq, sent: this.#sent });
  }

  probe(nonce: string): void {
    this.#probes.set(nonce, this.#sent);
  }

  confirmProbe(nonce: string): void {
    const sent = this.#probes.get(nonce);
    this.#probes.delete(nonce);
    if (sent !== undefined) this.#confirm(sent);
  }

  acknowledge(seq: number): void {
    const mark = this.#marks.findLast((one) => one.seq <= seq);
    if (mark !== undefined) this.#confirm(mark.sent);
  }

  /** False if the client did not confirm enough in time, or cannot. */
  async awaitCapacity(): Promise<boolean> {
    if (!this.#isConfirming) return !this.isFull;
    const until = Date.now() + this.#limits.waitMs;
    while (this.isFull && !this.#isReleased) {
      if (Date.now() >= until) return false;
      await this.#sleeper.sleep(until);
    }
    return !this.#isReleased;
  }

  /** The connection has ended: pending waits return. */
  release(): void {
    this.#isReleased = true;
    this.#sleeper.end();
  }

  #confirm(sent: number): void {
    this.#confirmed = Math.max(this.#confirmed, sent);
    const firstUnconfirmed = this.#marks.findIndex((one) => one.sent > this.#confirmed);
    this.#marks.splice(0, firstUnconfirmed === -1 ? this.#marks.length : firstUnconfirmed);
    this.#sleeper.end();
  }
}
