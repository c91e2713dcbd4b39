/**
 * The interface of a session of the OpenAI Agents SDK, as far as it is used here. Items are passed
 * through.
 */

/** Items of the framework: a union that grows with each of its releases. */
// oxlint-disable-next-line typescript/no-explicit-any -- so that any release's items fit
export type AgentItem = any;

/** A change of the history. */
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
      /** The items that the history must end with. */
      readonly expectedSuffix: AgentItem[];
      /** The items that replace them. */
      readonly replacement: AgentItem[];
    };

/** A change that is applied only once. */
export interface HistoryTransactionArgs {
  /** Identifies the change. */
  readonly operationId: string;
  /** The change. */
  readonly transaction: HistoryTransaction;
}

/** Changes of existing calls. */
export interface HistoryMutationArgs {
  /** The calls with their replacements. */
  readonly mutations: readonly {
    readonly type: "replace_function_call";
    readonly callId: string;
    readonly replacement: AgentItem;
  }[];
}
