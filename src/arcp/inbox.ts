/**
 * The messages of a connection in the order they came, one at a time. Bounded: what comes while too
 * many wait is dropped, and a message that comes twice counts once.
 */
import { LIMITS } from "../domain/limits";

export class Inbox {
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isFlooded = false;
  readonly #ids = new Set<string>();

  get isFull(): boolean {
    return this.#waiting >= LIMITS.arcpWaiting;
  }

  /** When all that came so far is done. */
  get settled(): Promise<void> {
    return this.#queue;
  }

  hasSeen(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Bounded; what is forgotten first came first. */
  remember(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > LIMITS.arcpMessageIds && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** True once a flood: an answer to each message of it would be a flood too. */
  startsFlood(): boolean {
    const isFirst = !this.#isFlooded;
    this.#isFlooded = true;
    return isFirst;
  }

  /** A message's work, which counts among those that wait. */
  enqueue(work: () => Promise<void>, failed: () => void): void {
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(work)
      .catch(failed)
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#isFlooded = false;
      });
  }

  /** Work of our own, in the same order. */
  enqueueInternal(work: () => Promise<void>, failed: () => void): void {
    this.#queue = this.#queue.then(work).catch(failed);
  }
}
