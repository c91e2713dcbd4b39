import { describe, expect, it } from "vitest";
import {
  allowedOperations,
  OPERATIONS,
  operationRow,
  type Operation,
} from "../../../src/domain/session/operation";
import type { Scope } from "../../../src/domain/participants/scope";
import { isTerminal, STATES, type State } from "../../../src/domain/session/state";

const ANY = "any";
const OPEN = "not terminal";
type AllowedStates = typeof ANY | typeof OPEN | Partial<Record<State, State>>;

/** If no file is expected any more, the decision itself leads on to in_progress. */
const UPLOADING: Partial<Record<State, State>> = {
  draft: "awaiting_upload",
  in_progress: "awaiting_upload",
  awaiting_input: "awaiting_upload",
  awaiting_upload: "awaiting_upload",
};

/** The design's table of operations, written out a second time. */
const DESIGN: Readonly<
  Record<string, [Scope, consumes: boolean, moves: boolean, states: AllowedStates]>
> = {
  get: ["view", false, false, ANY],
  events: ["view", false, false, ANY],
  live: ["view", false, false, ANY],
  audit: ["view", false, false, ANY],
  resumable: ["view", false, false, ANY],
  validate: ["view", false, false, ANY],
  listHandoffs: ["view", false, false, ANY],
  listCheckpoints: ["view", false, false, ANY],
  listEndpoints: ["own", false, false, ANY],
  readPrivate: ["fill", false, false, ANY],
  addEndpoint: ["own", true, false, ANY],
  changeEndpoint: ["own", true, false, ANY],
  rotateEndpoint: ["own", true, false, ANY],
  replayEndpoint: ["own", true, false, ANY],
  removeEndpoint: ["own", true, false, ANY],
  getCheckpoint: ["view", false, false, ANY],
  lineage: ["view", false, false, ANY],
  getUpload: ["view", false, false, ANY],
  getBlob: ["view", false, false, ANY],
  listJobs: ["view", false, false, ANY],
  getJob: ["view", false, false, ANY],
  submitJob: ["fill", false, false, OPEN],
  cancelJob: ["fill", false, false, OPEN],
  resume: ["view", true, false, OPEN],
  append: ["append", false, false, OPEN],
  reportStop: ["append", false, false, OPEN],
  takeLease: ["append", false, false, OPEN],
  releaseLease: ["append", false, false, OPEN],
  startOnce: ["append", false, false, OPEN],
  endOnce: ["append", false, false, OPEN],
  setFields: [
    "fill",
    true,
    true,
    {
      draft: "in_progress",
      awaiting_input: "in_progress",
      in_progress: "in_progress",
      awaiting_upload: "awaiting_upload",
    },
  ],
  requestInput: ["fill", true, true, { draft: "awaiting_input", in_progress: "awaiting_input" }],
  submit: [
    "fill",
    true,
    true,
    { draft: "submitted", in_progress: "submitted", awaiting_input: "submitted" },
  ],
  requestUpload: ["fill", true, true, UPLOADING],
  confirmUpload: ["fill", true, true, UPLOADING],
  removeUpload: ["fill", true, true, UPLOADING],
  putUpload: [
    "fill",
    false,
    false,
    Object.fromEntries(Object.keys(UPLOADING).map((state) => [state, state])),
  ],
  putBlob: ["append", false, false, OPEN],
  approve: ["review", true, true, { needs_review: "needs_review" }],
  reject: ["review", true, true, { needs_review: "rejected" }],
  requestChanges: ["review", true, true, { needs_review: "awaiting_input" }],
  decline: [
    "view",
    true,
    true,
    {
      draft: "awaiting_input",
      in_progress: "awaiting_input",
      awaiting_input: "awaiting_input",
      awaiting_upload: "awaiting_input",
      needs_review: "awaiting_input",
    },
  ],
  finalize: ["own", true, true, { submitted: "finalized", approved: "finalized" }],
  cancel: [
    "own",
    true,
    true,
    Object.fromEntries(
      STATES.filter((state) => !isTerminal(state)).map((state) => [state, "cancelled"]),
    ),
  ],
  handoff: ["handoff", true, false, OPEN],
  reissue: ["handoff", true, false, OPEN],
  revokeHandoff: ["handoff", true, false, OPEN],
  revoke: ["own", true, false, OPEN],
  extend: ["own", true, false, OPEN],
  setLabels: ["own", true, false, ANY],
  erasePrivate: ["own", true, false, ANY],
  pause: ["own", true, false, OPEN],
  unpause: ["own", true, false, OPEN],
  checkpoint: ["fill", true, false, OPEN],
  pinCheckpoint: ["own", true, false, OPEN],
  deleteCheckpoint: ["own", true, false, OPEN],
  trim: ["own", true, false, OPEN],
  restore: [
    "own",
    true,
    true,
    {
      draft: "in_progress",
      in_progress: "in_progress",
      awaiting_input: "in_progress",
      awaiting_upload: "in_progress",
    },
  ],
  fork: ["own", true, false, ANY],
  purge: ["own", true, false, ANY],
};

const operations = Object.keys(OPERATIONS) as Operation[];

const statesOf = (allowed: AllowedStates): Partial<Record<State, State>> => {
  if (typeof allowed === "object") return allowed;
  const states = STATES.filter((state) => allowed === ANY || !isTerminal(state));
  return Object.fromEntries(states.map((state) => [state, state]));
};

describe("the table of operations", () => {
  it.each(operations)("has for %s the row of the design", (operation) => {
    const expected = DESIGN[operation];
    if (expected === undefined) throw new Error("the design has no such row");
    const [scope, consumes, movesVersion, allowed] = expected;
    expect(operationRow(operation)).toEqual({
      scope,
      consumes,
      movesVersion,
      transitions: statesOf(allowed),
    });
  });

  it("moves the version whenever it can change the state, and always consumes then", () => {
    for (const operation of operations) {
      const row = operationRow(operation);
      const changes = Object.entries(row.transitions).some(([from, to]) => from !== to);
      if (changes) expect(row.movesVersion, operation).toBe(true);
      if (row.movesVersion) expect(row.consumes, operation).toBe(true);
    }
  });

  it("lets nothing leave a terminal state", () => {
    for (const operation of operations) {
      for (const [from, to] of Object.entries(operationRow(operation).transitions)) {
        if (isTerminal(from as State)) expect(to, operation).toBe(from);
      }
    }
  });

  it("has exactly the eleven states, four of them terminal", () => {
    expect(STATES).toHaveLength(11);
    expect(STATES.filter(isTerminal)).toEqual(["finalized", "rejected", "cancelled", "expired"]);
  });
});

describe.each(STATES)("the operations allowed in %s", (state) => {
  it("are those that write and have the state in their row, and no others", () => {
    const writing = operations.filter((operation) => {
      const { consumes, scope } = operationRow(operation);
      // Listing endpoints needs more than `view`, but only reads.
      if (["decline", "listEndpoints", "readPrivate"].includes(operation)) return false;
      return consumes || scope !== "view";
    });
    expect(allowedOperations(state)).toEqual(
      writing.filter((operation) => operationRow(operation).transitions[state] !== undefined),
    );
    expect(allowedOperations(state)).not.toContain("get");
  });
});
