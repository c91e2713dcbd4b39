/** The fold of an index: the threads of a namespace, for lists of all threads. */
import type { EventInput } from "../../client";
import type { JournalEntry } from "../journal";

const ADDED = "langgraph.thread";
const REMOVED = "langgraph.removed";

export class ThreadIndex {
  #ids = new Set<string>();

  reset(): void {
    this.#ids = new Set();
  }

  fold({ type, payload }: JournalEntry): void {
    const threadId = String(payload["threadId"]);
    if (type === ADDED) this.#ids.add(threadId);
    if (type === REMOVED) this.#ids.delete(threadId);
  }

  has(threadId: string): boolean {
    return this.#ids.has(threadId);
  }

  ids(): readonly string[] {
    return [...this.#ids];
  }

  static addedEvent(threadId: string): EventInput {
    return { type: ADDED, payload: { threadId } };
  }

  static removedEvent(threadId: string): EventInput {
    return { type: REMOVED, payload: { threadId } };
  }
}
