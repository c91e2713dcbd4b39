/**
 * What can be done to a session, as data: the right it needs, whether it spends its token, whether
 * it moves the version, and from which states it goes where. Rules that need more than the state
 * (review required, the last approval) refine the target in their own decision.
 */
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
const LIVING = staying(STATES.filter((state) => !isTerminal(state)));
const leadingTo = (target: State, from: readonly State[]): Partial<Record<State, State>> =>
  Object.fromEntries(from.map((state) => [state, target]));

const FILLING = ["draft", "in_progress", "awaiting_input", "awaiting_upload"] as const;

const read = { scope: "view", consumes: false, movesVersion: false, transitions: ANY } as const;

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
  resume: { scope: "view", consumes: true, movesVersion: false, transitions: LIVING },
  reportStop: { scope: "append", consumes: false, movesVersion: false, transitions: LIVING },
  submitJob: { scope: "fill", consumes: false, movesVersion: false, transitions: LIVING },
  cancelJob: { scope: "fill", consumes: false, movesVersion: false, transitions: LIVING },
  append: { scope: "append", consumes: false, movesVersion: false, transitions: LIVING },
  setFields: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: {
      draft: "in_progress",
      awaiting_input: "in_progress",
      in_progress: "in_progress",
      awaiting_upload: "awaiting_upload",
    },
  },
  requestInput: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("awaiting_input", ["draft", "in_progress"]),
  },
  submit: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("submitted", ["draft", "in_progress", "awaiting_input"]),
  },
  /** Confirming and removing lead on to in_progress when no file is waited for any more. */
  requestUpload: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("awaiting_upload", FILLING),
  },
  confirmUpload: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("awaiting_upload", FILLING),
  },
  removeUpload: {
    scope: "fill",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("awaiting_upload", FILLING),
  },
  putUpload: { scope: "fill", consumes: false, movesVersion: false, transitions: staying(FILLING) },
  putBlob: { scope: "append", consumes: false, movesVersion: false, transitions: LIVING },
  approve: {
    scope: "review",
    consumes: true,
    movesVersion: true,
    transitions: { needs_review: "needs_review" },
  },
  reject: {
    scope: "review",
    consumes: true,
    movesVersion: true,
    transitions: { needs_review: "rejected" },
  },
  requestChanges: {
    scope: "review",
    consumes: true,
    movesVersion: true,
    transitions: { needs_review: "awaiting_input" },
  },
  /** By link, with `fill` or `review`: rights.ts says so. Nobody else is asked in person. */
  decline: {
    scope: "view",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("awaiting_input", [...FILLING, "needs_review"]),
  },
  finalize: {
    scope: "own",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("finalized", ["submitted", "approved"]),
  },
  cancel: {
    scope: "own",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo(
      "cancelled",
      STATES.filter((state) => !isTerminal(state)),
    ),
  },
  handoff: { scope: "handoff", consumes: true, movesVersion: false, transitions: LIVING },
  reissue: { scope: "handoff", consumes: true, movesVersion: false, transitions: LIVING },
  revokeHandoff: { scope: "handoff", consumes: true, movesVersion: false, transitions: LIVING },
  revoke: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  extend: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  setLabels: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  erasePrivate: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  pause: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  unpause: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  checkpoint: { scope: "fill", consumes: true, movesVersion: false, transitions: LIVING },
  pinCheckpoint: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  deleteCheckpoint: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  trim: { scope: "own", consumes: true, movesVersion: false, transitions: LIVING },
  restore: {
    scope: "own",
    consumes: true,
    movesVersion: true,
    transitions: leadingTo("in_progress", [
      "draft",
      "in_progress",
      "awaiting_input",
      "awaiting_upload",
    ]),
  },
  /** Who may see where notices go may also say where: only an owner. */
  listEndpoints: { ...read, scope: "own" },
  addEndpoint: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  changeEndpoint: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  rotateEndpoint: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  replayEndpoint: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  removeEndpoint: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  fork: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
  purge: { scope: "own", consumes: true, movesVersion: false, transitions: ANY },
} as const satisfies Record<string, OperationRow>;

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

export const addsContent = (operation: Operation): boolean => ADDING.has(operation);

/** What people are held to later: the answer comes with a signed proof of the log up to it. */
const PROVEN: ReadonlySet<Operation> = new Set(["submit", "approve", "finalize"]);

export const isProven = (operation: Operation): boolean => PROVEN.has(operation);
