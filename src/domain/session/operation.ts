/**
 * The table of operations: the scope each needs, whether it spends the token, whether it moves the
 * version, and its state transitions. Rules that need more than the state (review required, the
 * last approval) refine the target state in their decision.
 */
import type { Addition } from "../log/log-capacity";
import type { Scope } from "../participants/scope";
import { STATES, isTerminal, type State } from "./state";

interface OperationRow {
  readonly scope: Scope;
  readonly consumes: boolean;
  readonly movesVersion: boolean;
  /** For each state in which the operation is allowed, the state after it. */
  readonly transitions: Readonly<Partial<Record<State, State>>>;
}

const stayingIn = (states: readonly State[]): Partial<Record<State, State>> =>
  Object.fromEntries(states.map((state) => [state, state]));

const ANY = stayingIn(STATES);
const OPEN = STATES.filter((state) => !isTerminal(state));
const STAY_OPEN = stayingIn(OPEN);
const leadingTo = (target: State, from: readonly State[]): Partial<Record<State, State>> =>
  Object.fromEntries(from.map((state) => [state, target]));

const FILLING = ["draft", "in_progress", "awaiting_input", "awaiting_upload"] as const;

type Transitions = OperationRow["transitions"];

/** Spends no token. */
const keepsToken = (scope: Scope, transitions: Transitions = STAY_OPEN): OperationRow => ({
  scope,
  consumes: false,
  movesVersion: false,
  transitions,
});
/** Spends the token and leaves the document and the state unchanged. */
const spendsToken = (scope: Scope, transitions?: Transitions): OperationRow => ({
  ...keepsToken(scope, transitions),
  consumes: true,
});
const movesVersion = (scope: Scope, transitions: Transitions): OperationRow => ({
  ...spendsToken(scope, transitions),
  movesVersion: true,
});

const read = keepsToken("view", ANY);

export const OPERATIONS = {
  get: read,
  events: read,
  live: read,
  audit: read,
  resumable: read,
  validate: read,
  listHandoffs: read,
  listCheckpoints: read,
  getCheckpoint: read,
  lineage: read,
  getUpload: read,
  getBlob: read,
  /** Needs `fill` or `review`, which rights.ts checks. */
  readPrivate: { ...read, scope: "fill" },
  listJobs: read,
  getJob: read,
  resume: spendsToken("view"),
  reportStop: keepsToken("append"),
  submitJob: keepsToken("fill"),
  cancelJob: keepsToken("fill"),
  append: keepsToken("append"),
  takeLease: keepsToken("append"),
  releaseLease: keepsToken("append"),
  startOnce: keepsToken("append"),
  endOnce: keepsToken("append"),
  setFields: movesVersion("fill", {
    draft: "in_progress",
    awaiting_input: "in_progress",
    in_progress: "in_progress",
    awaiting_upload: "awaiting_upload",
  }),
  requestInput: movesVersion("fill", leadingTo("awaiting_input", ["draft", "in_progress"])),
  submit: movesVersion("fill", leadingTo("submitted", ["draft", "in_progress", "awaiting_input"])),
  /** Confirming and removing lead to in_progress once no file is pending. */
  requestUpload: movesVersion("fill", leadingTo("awaiting_upload", FILLING)),
  confirmUpload: movesVersion("fill", leadingTo("awaiting_upload", FILLING)),
  removeUpload: movesVersion("fill", leadingTo("awaiting_upload", FILLING)),
  putUpload: keepsToken("fill", stayingIn(FILLING)),
  putBlob: keepsToken("append"),
  approve: movesVersion("review", { needs_review: "needs_review" }),
  reject: movesVersion("review", { needs_review: "rejected" }),
  requestChanges: movesVersion("review", { needs_review: "awaiting_input" }),
  /** Only by link, with `fill` or `review`, which rights.ts checks. Nobody else can decline. */
  decline: movesVersion("view", leadingTo("awaiting_input", [...FILLING, "needs_review"])),
  finalize: movesVersion("own", leadingTo("finalized", ["submitted", "approved"])),
  cancel: movesVersion("own", leadingTo("cancelled", OPEN)),
  handoff: spendsToken("handoff"),
  reissue: spendsToken("handoff"),
  revokeHandoff: spendsToken("handoff"),
  revoke: spendsToken("own"),
  extend: spendsToken("own"),
  setLabels: spendsToken("own", ANY),
  erasePrivate: spendsToken("own", ANY),
  pause: spendsToken("own"),
  unpause: spendsToken("own"),
  checkpoint: spendsToken("fill"),
  pinCheckpoint: spendsToken("own"),
  deleteCheckpoint: spendsToken("own"),
  trim: spendsToken("own"),
  restore: movesVersion("own", leadingTo("in_progress", FILLING)),
  /** Whoever sees the endpoints may also change them: only an owner. */
  listEndpoints: { ...read, scope: "own" },
  addEndpoint: spendsToken("own", ANY),
  changeEndpoint: spendsToken("own", ANY),
  rotateEndpoint: spendsToken("own", ANY),
  replayEndpoint: spendsToken("own", ANY),
  removeEndpoint: spendsToken("own", ANY),
  fork: spendsToken("own", ANY),
  purge: spendsToken("own", ANY),
} satisfies Record<string, OperationRow>;

export type Operation = keyof typeof OPERATIONS;

export const operationRow = (operation: Operation): OperationRow => OPERATIONS[operation];

/** Reads that need more than `view`. */
const PRIVILEGED_READS: ReadonlySet<Operation> = new Set(["listEndpoints", "readPrivate"]);

/**
 * The operations that change something and are allowed in this state. Reads are always allowed and
 * not listed.
 */
export function allowedOperations(state: State): readonly Operation[] {
  return (Object.keys(OPERATIONS) as Operation[]).filter((operation) => {
    const row = operationRow(operation);
    // People decline on their page. Callers that get this list cannot.
    if (operation === "decline") return false;
    const acts = row.consumes || (row.scope !== "view" && !PRIVILEGED_READS.has(operation));
    return acts && row.transitions[state] !== undefined;
  });
}

/** Operations that add to the session. The others only control it. */
const ADDING: ReadonlySet<Operation> = new Set([
  "setFields",
  "requestInput",
  "requestChanges",
  "approve",
  "confirmUpload",
  "handoff",
  "reissue",
  "restore",
  "fork",
]);

export function additionOf(operation: Operation): Addition {
  if (!ADDING.has(operation)) return "nothing";
  return operationRow(operation).scope === "review" ? "decision" : "content";
}

/**
 * Operations that people are accountable for: the response contains a signed proof of the log up to
 * it.
 */
const PROVEN: ReadonlySet<Operation> = new Set(["submit", "approve", "finalize"]);

export const isProven = (operation: Operation): boolean => PROVEN.has(operation);
