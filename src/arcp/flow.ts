/**
 * How far a client may lag. The platform queues what is sent without limit and without saying how
 * much, so what the client says is the only measure: its acks, and its pongs to pings that were sent
 * behind the events. One that says neither may lag further, and then comes back and reads on.
 */
import { Sleeper } from "../gateway/sleeper";

interface FlowLimits {
  /** Sent and not confirmed, from where the client is waited for. */
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

  /** Must it be waited for? */
  get isFull(): boolean {
    return this.lag > (this.#isConfirming ? this.#limits.window : this.#limits.silent);
  }

  /** Half of the window is used and nothing is on its way that would confirm it. */
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

  /** False when the client did not make room in time, or will not. */
  async awaitCapacity(): Promise<boolean> {
    if (!this.#isConfirming) return !this.isFull;
    const until = Date.now() + this.#limits.waitMs;
    while (this.isFull && !this.#isReleased) {
      if (Date.now() >= until) return false;
      await this.#sleeper.sleep(until);
    }
    return !this.#isReleased;
  }

  /** The connection is over: whoever waits goes on and finds that out. */
  release(): void {
    this.#isReleased = true;
    this.#sleeper.end();
  }

  #confirm(sent: number): void {
    this.#confirmed = Math.max(this.#confirmed, sent);
    const kept = this.#marks.findIndex((one) => one.sent > this.#confirmed);
    this.#marks.splice(0, kept === -1 ? this.#marks.length : kept);
    this.#sleeper.end();
  }
}
