/** A conversation of the OpenAI Agents SDK as a Baton session. */
import { Journal, type AdapterOptions } from "../journal";
import { hashOf } from "../session-names";
import { canonical, History } from "./history";
import type {
  AgentItem,
  HistoryMutationArgs,
  HistoryTransaction,
  HistoryTransactionArgs,
} from "./protocol";

/** Identifies the conversation, and where it is stored. */
export interface BatonSessionOptions extends AdapterOptions {
  /** The id of the conversation. Default: a random one. */
  readonly sessionId?: string;
}

/** Concurrent writers of one conversation are few. */
const ATTEMPTS = 20;

/**
 * Stores the history of a conversation in Baton, with transactions that are applied once.
 *
 * @example
 * ```ts
 * import { Agent, run } from "@openai/agents";
 * import { Baton } from "@baton-sessions/baton/client";
 * import { BatonSession } from "@baton-sessions/baton/openai-agents";
 *
 * const baton = Baton.connect("http://localhost:8787");
 * const session = new BatonSession({ baton, sessionId: "support-17" });
 * await run(new Agent({ name: "Helper" }), "Where were we?", { session });
 * ```
 */
export class BatonSession {
  readonly #sessionId: string;
  readonly #journal: Journal<History>;

  constructor(options: BatonSessionOptions) {
    this.#sessionId = options.sessionId ?? crypto.randomUUID();
    const title = `Conversation ${this.#sessionId}`;
    this.#journal = new Journal(options, new History(), title, "openai", this.#sessionId);
  }

  /** The id of the conversation. */
  getSessionId(): Promise<string> {
    return Promise.resolve(this.#sessionId);
  }

  /** All items in order, or the last `limit` of them. */
  async getItems(limit?: number): Promise<AgentItem[]> {
    await this.#journal.catchUp();
    const items = this.#journal.state.items();
    return limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit);
  }

  /** Adds items at the end. */
  async addItems(items: AgentItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#journal.append([History.itemsEvent({ items })]);
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<AgentItem | undefined> {
    let popped: AgentItem | undefined;
    await this.#appendExclusively(() => {
      popped = this.#journal.state.items().at(-1);
      return popped === undefined ? null : History.itemsEvent({ drop: 1, items: [] });
    });
    return popped;
  }

  /** Removes all items; the conversation keeps its id. */
  async clearSession(): Promise<void> {
    if (await this.#journal.catchUp()) await this.#journal.append([History.clearedEvent()]);
  }

  /** Replaces the whole history by a compaction. */
  async replaceHistoryWithCompaction(items: AgentItem[]): Promise<void> {
    await this.#journal.append([History.replacedEvent(items)]);
  }

  /** Replaces calls that were stored before. */
  async applyHistoryMutations({ mutations }: HistoryMutationArgs): Promise<void> {
    if (mutations.length === 0) return;
    await this.#journal.append([History.mutatedEvent(mutations)]);
  }

  /**
   * Applies a change once, however often it is sent with the same `operationId`. A change that
   * replaces a suffix requires exactly that suffix.
   */
  async applyHistoryTransaction({
    operationId: id,
    transaction,
  }: HistoryTransactionArgs): Promise<void> {
    if (id.trim() === "")
      throw new TypeError("The operationId of a transaction must not be empty.");
    const digest = await hashOf(canonical(transaction));
    await this.#appendExclusively(() => {
      const applied = this.#journal.state.digestOf(id);
      if (applied === digest) return null;
      if (applied !== undefined) {
        throw new Error(`The operation ${id} was applied before, with another transaction.`);
      }
      return History.itemsEvent({ operation: { id, digest }, ...this.#change(transaction) });
    });
  }

  #change(transaction: HistoryTransaction): { drop?: number; items: AgentItem[] } {
    if (transaction.type === "append_items") return { items: transaction.items };
    const { expectedSuffix, replacement } = transaction;
    if (!this.#journal.state.endsWith(expectedSuffix)) {
      throw new Error("The history no longer ends with the items that this transaction replaces.");
    }
    return { drop: expectedSuffix.length, items: replacement };
  }

  /** Decides on the current state, and decides again if another writer was faster. */
  async #appendExclusively(
    decide: () => ReturnType<typeof History.itemsEvent> | null,
  ): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const exists = await this.#journal.catchUp();
      const event = decide();
      if (event === null) return;
      // Without a session no other writer can have been faster, and the fold recognizes a repeated
      // operation.
      if (!exists) return this.#journal.append([event]);
      if (await this.#journal.appendIfUnchanged([event])) return;
    }
    throw new Error("Others kept changing this conversation; nothing was changed here.");
  }
}
