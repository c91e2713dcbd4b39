/** The messages of the demo's agent to the presentation, one JSON line each. */
export interface ReportedEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name?: string };
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Receipt {
  readonly what: string;
  readonly amount: number;
}

export type AgentMessage =
  | { readonly type: "created"; readonly id: string }
  | { readonly type: "resumed"; readonly read: number; readonly unanswered: boolean }
  | { readonly type: "reads"; readonly receipt: Receipt }
  | { readonly type: "saves"; readonly read: number }
  | { readonly type: "saved"; readonly total: number }
  | { readonly type: "stopped"; readonly evidence: string }
  | { readonly type: "waits"; readonly waitMs: number; readonly why: string }
  | { readonly type: "continues"; readonly attempt: number }
  | { readonly type: "link"; readonly url: string }
  | { readonly type: "decided"; readonly decision: string; readonly by: string }
  | { readonly type: "ended"; readonly state: string }
  | { readonly type: "log"; readonly events: readonly ReportedEvent[] };
