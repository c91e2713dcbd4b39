/**
 * What can be done to a session, as data: the right it needs, whether it spends its token, whether
 * it moves the version, and from which states it goes where. Rules that need more than the state
 * (review required, the last approval) refine the target in their own decision.
 */
import type { Addition } from "../log/log-room";
import type { Scope } from "../participants/scope";
import { STATES, isTerminal, type State } from "./state";

interface OperationRow {
  readonly scope: Scope;
  readonly consumes: boolean;
  readonly movesVersion: boolean;
  /** For each state the operation is allowed in, the state it leads to. */
  readonly transitions: Readonly<Partial<Record<State, State>>>;
}

const staying = (states: readonly State[]): Partial<Record<State, State>> =>
  Object.fromEntries(states.map((state) => [state, state]));

const ANY = staying(STATES);
const OPEN = STATES.filter((state) => !isTerminal(state));
const LIVING = staying(OPEN);
const leadingTo = (target: State, from: readonly State[]): Partial<Record<State, State>> =>
  Object.fromEntries(from.map((state) => [state, target]));

const FILLING = ["draft", "in_progress", "awaiting_input", "awaiting_upload"] as const;

type Transitions = OperationRow["transitions"];

/** Spends no token. */
const notes = (scope: Scope, transitions: Transitions = LIVING): OperationRow => ({
  scope,
  consumes: false,
  movesVersion: false,
  transitions,
});
/** Spends the token, and leaves the document and the state as they are. */
const spends = (scope: Scope, transitions?: Transitions): OperationRow => ({
  ...notes(scope, transitions),
  consumes: true,
});
const moves = (scope: Scope, transitions: Transitions): OperationRow => ({
  ...spends(scope, transitions),
  movesVersion: true,
});

const read = notes("view", ANY);

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
  /** With `fill` or `review`: rights.ts says so. */
  readPrivate: { ...read, scope: "fill" },
  listJobs: read,
  getJob: read,
  resume: spends("view"),
  reportStop: notes("append"),
  submitJob: notes("fill"),
  cancelJob: notes("fill"),
  append: notes("append"),
  setFields: moves("fill", {
    draft: "in_progress",
    awaiting_input: "in_progress",
    in_progress: "in_progress",
    awaiting_upload: "awaiting_upload",
  }),
  requestInput: moves("fill", leadingTo("awaiting_input", ["draft", "in_progress"])),
  submit: moves("fill", leadingTo("submitted", ["draft", "in_progress", "awaiting_input"])),
  /** Confirming and removing lead on to in_progress when no file is waited for any more. */
  requestUpload: moves("fill", leadingTo("awaiting_upload", FILLING)),
  confirmUpload: moves("fill", leadingTo("awaiting_upload", FILLING)),
  removeUpload: moves("fill", leadingTo("awaiting_upload", FILLING)),
  putUpload: notes("fill", staying(FILLING)),
  putBlob: notes("append"),
  approve: moves("review", { needs_review: "needs_review" }),
  reject: moves("review", { needs_review: "rejected" }),
  requestChanges: moves("review", { needs_review: "awaiting_input" }),
  /** By link, with `fill` or `review`: rights.ts says so. Nobody else is asked in person. */
  decline: moves("view", leadingTo("awaiting_input", [...FILLING, "needs_review"])),
  finalize: moves("own", leadingTo("finalized", ["submitted", "approved"])),
  cancel: moves("own", leadingTo("cancelled", OPEN)),
  handoff: spends("handoff"),
  reissue: spends("handoff"),
  revokeHandoff: spends("handoff"),
  revoke: spends("own"),
  extend: spends("own"),
  setLabels: spends("own", ANY),
  erasePrivate: spends("own", ANY),
  pause: spends("own"),
  unpause: spends("own"),
  checkpoint: spends("fill"),
  pinCheckpoint: spends("own"),
  deleteCheckpoint: spends("own"),
  trim: spends("own"),
  restore: moves("own", leadingTo("in_progress", FILLING)),
  /** Who may see where notices go may also say where: only an owner. */
  listEndpoints: { ...read, scope: "own" },
  addEndpoint: spends("own", ANY),
  changeEndpoint: spends("own", ANY),
  rotateEndpoint: spends("own", ANY),
  replayEndpoint: spends("own", ANY),
  removeEndpoint: spends("own", ANY),
  fork: spends("own", ANY),
  purge: spends("own", ANY),
} satisfies Record<string, OperationRow>;

export type Operation = keyof typeof OPERATIONS;

export const rowOf = (operation: Operation): OperationRow => OPERATIONS[operation];

/** Reads that take more than `view`. */
const PRIVILEGED_READS: ReadonlySet<Operation> = new Set(["listEndpoints", "readPrivate"]);

/** What changes something and is allowed in this state; reads always are and need no mention. */
export function allowedOperations(state: State): readonly Operation[] {
  return (Object.keys(OPERATIONS) as Operation[]).filter((operation) => {
    const row = rowOf(operation);
    // People decline on their page; nobody who is told of this list can.
    if (operation === "decline") return false;
    const acts = row.consumes || (row.scope !== "view" && !PRIVILEGED_READS.has(operation));
    return acts && row.transitions[state] !== undefined;
  });
}

/** Operations that put something into the session, as against those that only steer it. */
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
  return rowOf(operation).scope === "review" ? "decision" : "content";
}

/** What people are held to later: the answer comes with a signed proof of the log up to it. */
const PROVEN: ReadonlySet<Operation> = new Set(["submit", "approve", "finalize"]);

export const isProven = (operation: Operation): boolean => PROVEN.has(operation);
