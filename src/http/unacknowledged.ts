/**
 * How far a WebSocket client may lag. The platform queues what is sent without limit and without
 * saying how much, so the client's acks are the only measure there is: one that acks is waited for;
 * one that never did is let go when the bound is reached, and loses nothing, because it reads on.
 */
import { LIMITS } from "../domain/limits";

/** `never`: there is no room and nobody to wait for. `over`: none came until the wait was ended. */
type Room = "room" | "never" | "over";

/** A long way round the world and back, with time to spare. */
const FIRST_ACK_MS = 1_000;

export class Unacknowledged {
  #sent: { readonly seq: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #hasAcked = false;
  #hasWaited = false;
  #isReleased = false;
  #wake: () => void = () => {};

  async awaitRoom(bytes: number): Promise<Room> {
    while (this.#bytes > 0 && this.#bytes + bytes > LIMITS.unacknowledgedBytes) {
      if (this.#isReleased) return "over";
      if (!this.#hasAcked && this.#hasWaited) return "never";
      await (this.#hasAcked ? this.#news() : this.#firstAck());
    }
    return "room";
  }

  #news(): Promise<void> {
    return new Promise((settle) => {
      this.#wake = settle;
    });
  }

  /** Once: a whole replay may be sent before the first ack had time to come. */
  async #firstAck(): Promise<void> {
    this.#hasWaited = true;
    const timer = setTimeout(() => this.#wake(), FIRST_ACK_MS);
    await this.#news();
    clearTimeout(timer);
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
    this.#wake();
  }

  /** There is nothing to wait for any more: whoever waits goes on. */
  release(): void {
    this.#isReleased = true;
    this.#wake();
  }
}
