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
  | { readonly tell: "begun"; readonly id: string }
  | { readonly tell: "resumed"; readonly read: number; readonly unanswered: boolean }
  | { readonly tell: "reads"; readonly receipt: Receipt }
  | { readonly tell: "saves"; readonly read: number }
  | { readonly tell: "saved"; readonly total: number }
  | { readonly tell: "stopped"; readonly evidence: string }
  | { readonly tell: "waits"; readonly waitMs: number; readonly why: string }
  | { readonly tell: "continues"; readonly attempt: number }
  | { readonly tell: "link"; readonly url: string }
  | { readonly tell: "decided"; readonly decision: string; readonly by: string }
  | { readonly tell: "ended"; readonly state: string }
  | { readonly tell: "log"; readonly events: readonly ReportedEvent[] };
