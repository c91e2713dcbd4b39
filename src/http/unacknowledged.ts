/**
 * How far a WebSocket client may lag. The platform queues what is sent without limit and without
 * saying how much, so the client's acks are the only measure there is: one that acks is waited for;
 * one that never did is let go when the bound is reached, and loses nothing, because it reads on.
 */
import { LIMITS } from "../domain/limits";
import { Sleeper } from "../gateway/sleeper";

/** `never`: there is no room and nobody to wait for. `over`: none came until the wait was ended. */
type Capacity = "room" | "never" | "over";

/** A long way round the world and back, with time to spare. */
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
      // The first ack is waited for once: a whole replay may be sent before it had time to come.
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
    const open = this.#sent.findIndex((one) => one.seq > seq);
    const done = this.#sent.splice(0, open === -1 ? this.#sent.length : open);
    this.#bytes -= done.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#sleeper.end();
  }

  /** There is nothing to wait for any more: whoever waits goes on. */
  release(): void {
    this.#isReleased = true;
    this.#sleeper.end();
  }
}
