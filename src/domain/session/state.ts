/** The lifecycle. `paused` is a separate flag, not a state. */
export const STATES = [
  "draft",
  "in_progress",
  "awaiting_input",
  "awaiting_upload",
  "submitted",
  "needs_review",
  "approved",
  "finalized",
  "rejected",
  "cancelled",
  "expired",
] as const;
/** The state of a session in its lifecycle. */
export type State = (typeof STATES)[number];

const TERMINAL_STATES = ["finalized", "rejected", "cancelled", "expired"] as const;

const TERMINAL: ReadonlySet<State> = new Set(TERMINAL_STATES);

export const isTerminal = (state: State): boolean => TERMINAL.has(state);
