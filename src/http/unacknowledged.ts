/**
 * Limits how far a WebSocket client may lag. The platform queues sent frames without limit and does not
 * report how many, so the client's acks are the only measure. A client that acks is waited for. One that
 * never did is disconnected at the limit; it loses nothing, because it reads on after reconnecting.
 */
import { LIMITS } from "../domain/limits";
import { Sleeper } from "../gateway/sleeper";

/** `never`: there is no capacity and no ack to wait for. `over`: the wait was ended first. */
type Capacity = "room" | "never" | "over";

/** Ample for a round trip around the world. */
const FIRST_ACK_MS = 1_000;

export class Unacknowledged {
  #sent: { readonly seq: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #hasAcked = false;
  #hasWaited = false;
  #isReleased = false;
  readonly #sleeper = new Sleeper();

  async awaitCapacity(bytes: number): Promise<Capacity> {
    while (this.#bytes > 0 && this.#bytes + bytes > LIMITS.unacknowledgedBytes) {
      if (this.#isReleased) return "over";
      if (!this.#hasAcked && this.#hasWaited) return "never";
      // The first ack is waited for once: a whole replay may be sent before it can arrive.
      this.#hasWaited ||= !this.#hasAcked;
      await this.#sleeper.sleep(this.#hasAcked ? Infinity : Date.now() + FIRST_ACK_MS);
    }
    return "room";
  }

  add(seq: number, bytes: number): void {
    this.#sent.push({ seq, bytes });
    this.#bytes += bytes;
  }

  acknowledge(seq: number): void {
    this.#hasAcked = true;
    const firstUnacknowledged = this.#sent.findIndex((one) => one.seq > seq);
    const acknowledged = this.#sent.splice(
      0,
      firstUnacknowledged === -1 ? this.#sent.length : firstUnacknowledged,
    );
    this.#bytes -= acknowledged.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#sleeper.end();
  }

  /** Ends every wait. */
  release(): void {
    this.#isReleased = true;
    this.#sleeper.end();
  }
}
