/** The fold of one conversation's log: its items, and the operations that were applied to them. */
import type { EventInput, JsonObject } from "../../client";
import type { JournalEntry } from "../journal";
import type { AgentItem, HistoryMutationArgs } from "./protocol";

const ITEMS = "openai.items";
const REPLACED = "openai.replaced";
const MUTATED = "openai.mutated";
const CLEARED = "openai.cleared";

/** A change of the items: the last `drop` of them go, then these follow. */
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
      // The same operation, told twice by processes that did not know of each other.
      if (this.#operations.has(operation.id)) return;
      this.#operations.set(operation.id, operation.digest);
    }
    if (drop > 0) this.#items.splice(-drop, drop);
    for (const item of items) this.#items.push(item);
  }

  items(): AgentItem[] {
    return structuredClone(this.#items);
  }

  /** What the operation was, if it was applied. */
  digestOf(operationId: string): string | undefined {
    return this.#operations.get(operationId);
  }

  endsWith(suffix: readonly AgentItem[]): boolean {
    const start = this.#items.length - suffix.length;
    return start >= 0 && canonical(this.#items.slice(start)) === canonical(suffix);
  }

  static items(change: Change): EventInput {
    return { type: ITEMS, payload: toJson(change) };
  }

  static replaced(items: readonly AgentItem[]): EventInput {
    return { type: REPLACED, payload: toJson({ items }) };
  }

  static mutated(mutations: HistoryMutationArgs["mutations"]): EventInput {
    return { type: MUTATED, payload: toJson({ mutations }) };
  }

  static cleared(): EventInput {
    return { type: CLEARED };
  }
}

/** The first call of that id is replaced, and later ones of the same id go. */
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

/** As it will be read back: what JSON does not know is left out before it is compared. */
const toJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** The same text for the same value, whatever the order of its members. */
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
