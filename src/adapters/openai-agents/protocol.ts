/** What the OpenAI Agents SDK asks of a session, as far as it is used here. Items are passed through. */

/** As the framework declares them; a union that grows with each of its releases. */
// oxlint-disable-next-line typescript/no-explicit-any -- so that any release's items fit
export type AgentItem = any;

/** A change of the history as a whole. */
export type HistoryTransaction =
  | {
      /** Adds items at the end. */
      readonly type: "append_items";
      /** The items. */
      readonly items: AgentItem[];
    }
  | {
      /** Replaces the end. */
      readonly type: "replace_suffix";
      /** What the history must end with. */
      readonly expectedSuffix: AgentItem[];
      /** What stands there afterwards. */
      readonly replacement: AgentItem[];
    };

/** A change that is applied once. */
export interface HistoryTransactionArgs {
  /** By which it is known again. */
  readonly operationId: string;
  /** The change. */
  readonly transaction: HistoryTransaction;
}

/** Calls that are rewritten. */
export interface HistoryMutationArgs {
  /** The calls, and what stands in their place. */
  readonly mutations: readonly {
    readonly type: "replace_function_call";
    readonly callId: string;
    readonly replacement: AgentItem;
  }[];
}
