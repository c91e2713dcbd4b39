/** The fold of one conversation's log: its items, and the operations that were applied to them. */
import type { EventInput, JsonObject } from "../../client";
import type { JournalEntry } from "../journal";
import type { AgentItem, HistoryMutationArgs } from "./protocol";

const ITEMS = "openai.items";
const REPLACED = "openai.replaced";
const MUTATED = "openai.mutated";
const CLEARED = "openai.cleared";

/** A change of the items: removes the last `drop` items, then adds these. */
interface Change {
  readonly operation?: { readonly id: string; readonly digest: string };
  readonly drop?: number;
  readonly items: readonly AgentItem[];
}

export class History {
  #items: AgentItem[] = [];
  #operations = new Map<string, string>();

  reset(): void {
    this.#items = [];
    this.#operations = new Map();
  }

  fold({ type, payload }: JournalEntry): void {
    switch (type) {
      case ITEMS:
        return this.#apply(payload as unknown as Change);
      case REPLACED:
        this.#items = [...(payload["items"] as AgentItem[])];
        return;
      case MUTATED:
        for (const mutation of payload["mutations"] as unknown as HistoryMutationArgs["mutations"])
          this.#items = replaceCall(this.#items, mutation.callId, mutation.replacement);
        return;
      case CLEARED:
        return this.reset();
    }
  }

  #apply({ operation, drop = 0, items }: Change): void {
    if (operation !== undefined) {
      // The same operation, reported twice by processes that did not know of each other.
      if (this.#operations.has(operation.id)) return;
      this.#operations.set(operation.id, operation.digest);
    }
    if (drop > 0) this.#items.splice(-drop, drop);
    for (const item of items) this.#items.push(item);
  }

  items(): AgentItem[] {
    return structuredClone(this.#items);
  }

  /** The digest of the operation, if it was applied. */
  digestOf(operationId: string): string | undefined {
    return this.#operations.get(operationId);
  }

  endsWith(suffix: readonly AgentItem[]): boolean {
    const start = this.#items.length - suffix.length;
    return start >= 0 && canonical(this.#items.slice(start)) === canonical(suffix);
  }

  static itemsEvent(change: Change): EventInput {
    return { type: ITEMS, payload: toJson(change) };
  }

  static replacedEvent(items: readonly AgentItem[]): EventInput {
    return { type: REPLACED, payload: toJson({ items }) };
  }

  static mutatedEvent(mutations: HistoryMutationArgs["mutations"]): EventInput {
    return { type: MUTATED, payload: toJson({ mutations }) };
  }

  static clearedEvent(): EventInput {
    return { type: CLEARED };
  }
}

/** Replaces the first call with this id, and removes later ones with the same id. */
function replaceCall(
  items: readonly AgentItem[],
  callId: string,
  replacement: AgentItem,
): AgentItem[] {
  const isCall = (item: AgentItem): boolean =>
    item.type === "function_call" && item.callId === callId;
  const first = items.findIndex(isCall);
  return items.flatMap((item, index) =>
    isCall(item) ? (index === first ? [structuredClone(replacement)] : []) : [item],
  );
}

/** The value as it will be read back: without members that JSON cannot represent. */
const toJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** The same text for equal values, whatever the order of their members. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, member]) => member !== undefined)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
