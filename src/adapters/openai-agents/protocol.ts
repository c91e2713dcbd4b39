/** What the OpenAI Agents SDK asks of a session, as far as it is used here. Items are passed through. */

/** As the framework declares them; a union that grows with each of its releases. */
// oxlint-disable-next-line typescript/no-explicit-any -- so that any release's items fit
export type AgentItem = any;

export type HistoryTransaction =
  | { readonly type: "append_items"; readonly items: AgentItem[] }
  | {
      readonly type: "replace_suffix";
      readonly expectedSuffix: AgentItem[];
      readonly replacement: AgentItem[];
    };

export interface HistoryTransactionArgs {
  readonly operationId: string;
  readonly transaction: HistoryTransaction;
}

export interface HistoryMutationArgs {
  readonly mutations: readonly {
    readonly type: "replace_function_call";
    readonly callId: string;
    readonly replacement: AgentItem;
  }[];
}
