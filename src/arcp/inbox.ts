/**
 * Processes the messages of a connection one at a time, in the order of arrival. It is bounded: while
 * too many messages wait, new ones are dropped. A repeated message counts once.
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

  /** Resolves when all messages so far are processed. */
  get settled(): Promise<void> {
    return this.#queue;
  }

  hasSeen(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Bounded: the oldest id is forgotten first. */
  remember(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > LIMITS.arcpMessageIds && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** True once per flood: an error per dropped message would be a flood as well. */
  startsFlood(): boolean {
    const isFirst = !this.#isFlooded;
    this.#isFlooded = true;
    return isFirst;
  }

  /** Queues the work of a message; it counts against the limit of waiting messages. */
  enqueue(work: () => Promise<void>, onError: () => void): void {
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(work)
      .catch(onError)
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#isFlooded = false;
      });
  }

  /** Queues internal work in the same order; it does not count against the limit. */
  enqueueInternal(work: () => Promise<void>, onError: () => void): void {
    this.#queue = this.#queue.then(work).catch(onError);
  }
}
