/** A conversation of the OpenAI Agents SDK as a Baton session. */
import { Journal, type AdapterOptions } from "../journal";
import { hashOf, nameOf } from "../names";
import { canonical, History } from "./history";
import type {
  AgentItem,
  HistoryMutationArgs,
  HistoryTransaction,
  HistoryTransactionArgs,
} from "./protocol";

/** Which conversation, and where it is kept. */
export interface BatonSessionOptions extends AdapterOptions {
  /** The conversation's own id; absent: a random one. */
  readonly sessionId?: string;
}

/** Others who write to the same conversation at the same moment are few. */
const ATTEMPTS = 20;

/**
 * Keeps the history of a conversation in Baton, with transactions that are applied once.
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
  readonly #options: BatonSessionOptions;
  readonly #sessionId: string;
  readonly #history = new History();
  #journal: Promise<Journal> | null = null;

  constructor(options: BatonSessionOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId ?? crypto.randomUUID();
  }

  /** The conversation's own id. */
  getSessionId(): Promise<string> {
    return Promise.resolve(this.#sessionId);
  }

  /** All items in their order, or the last `limit` of them. */
  async getItems(limit?: number): Promise<AgentItem[]> {
    await (await this.#opened()).catchUp();
    const items = this.#history.items();
    return limit === undefined ? items : limit <= 0 ? [] : items.slice(-limit);
  }

  /** Adds items at the end. */
  async addItems(items: AgentItem[]): Promise<void> {
    if (items.length === 0) return;
    await (await this.#opened()).append([History.items({ items })]);
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<AgentItem | undefined> {
    let popped: AgentItem | undefined;
    await this.#alone(() => {
      popped = this.#history.items().at(-1);
      return popped === undefined ? null : History.items({ drop: 1, items: [] });
    });
    return popped;
  }

  /** Removes all items; the conversation keeps its id. */
  async clearSession(): Promise<void> {
    const journal = await this.#opened();
    if (await journal.catchUp()) await journal.append([History.cleared()]);
  }

  /** Replaces the whole history by a compaction and what it keeps. */
  async replaceHistoryWithCompaction(items: AgentItem[]): Promise<void> {
    await (await this.#opened()).append([History.replaced(items)]);
  }

  /** Rewrites calls that were stored before. */
  async applyHistoryMutations({ mutations }: HistoryMutationArgs): Promise<void> {
    if (mutations.length === 0) return;
    await (await this.#opened()).append([History.mutated(mutations)]);
  }

  /**
   * Applies a change once, however often it is sent under the same `operationId`. A change that
   * replaces a suffix is applied only to exactly that suffix.
   */
  async applyHistoryTransaction({
    operationId: id,
    transaction,
  }: HistoryTransactionArgs): Promise<void> {
    if (id.trim() === "")
      throw new TypeError("The operationId of a transaction must not be empty.");
    const digest = await hashOf(canonical(transaction));
    await this.#alone(() => {
      const applied = this.#history.digestOf(id);
      if (applied === digest) return null;
      if (applied !== undefined) {
        throw new Error(`The operation ${id} was applied before, with another transaction.`);
      }
      return History.items({ operation: { id, digest }, ...this.#change(transaction) });
    });
  }

  #change(transaction: HistoryTransaction): { drop?: number; items: AgentItem[] } {
    if (transaction.type === "append_items") return { items: transaction.items };
    const { expectedSuffix, replacement } = transaction;
    if (!this.#history.endsWith(expectedSuffix)) {
      throw new Error("The history no longer ends with what this transaction is to replace.");
    }
    return { drop: expectedSuffix.length, items: replacement };
  }

  /** Decides on what is there, and decides again where somebody else was faster. */
  async #alone(decide: () => ReturnType<typeof History.items> | null): Promise<void> {
    const journal = await this.#opened();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const isThere = await journal.catchUp();
      const event = decide();
      if (event === null) return;
      // Where there is no session yet nobody can have been faster: the fold knows an operation again.
      if (!isThere) return journal.append([event]);
      if (await journal.appendAlone([event])) return;
    }
    throw new Error("Others kept changing this conversation; nothing was changed here.");
  }

  #opened(): Promise<Journal> {
    const { namespace = "default" } = this.#options;
    this.#journal ??= nameOf("openai", namespace, this.#sessionId).then(
      (name) =>
        new Journal({
          ...this.#options,
          name,
          title: `Conversation ${this.#sessionId}`.slice(0, 200),
          fold: (entry) => this.#history.fold(entry),
          reset: () => this.#history.reset(),
        }),
    );
    return this.#journal;
  }
}
