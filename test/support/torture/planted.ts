/** A history that a correct server could have made, and ways to plant faults into it. */
import { check } from "./checker/check.ts";
import type {
  LoggedCommit,
  LoggedEvent,
  Operation,
  Outcome,
  SessionHistory,
  Shown,
} from "./checker/history.ts";
import { foldAll } from "./checker/plain-fold.ts";

export const EXPIRES_AT = 1_000_000;
const SCOPES = new Map([
  [1, ["own", "handoff", "fill", "append", "view"]],
  [2, ["fill", "append", "view"]],
]);

export const event = (
  seq: number,
  type: string,
  state: string,
  version: number,
  payload: LoggedEvent["payload"] = {},
): LoggedEvent => ({ seq, type, at: "", actor: { id: "a" }, state, version, payload });

export const set = (seq: number, mark: string, from?: string): LoggedEvent =>
  event(seq, "fields.updated", "in_progress", seq, {
    changes: [{ field: "f", ...(from === undefined ? {} : { from }), to: mark }],
  });

export const commit = (participant: number | null, ...events: LoggedEvent[]): LoggedCommit => ({
  participant,
  first: events[0]?.seq ?? 0,
  last: events.at(-1)?.seq ?? 0,
  events,
});

/** Begun, handed off, written by both, appended to, resumed, and written once without an answer. */
export const COMMITS: readonly LoggedCommit[] = [
  commit(
    1,
    event(1, "session.created", "draft", 1, {
      title: "t",
      expiresAt: new Date(EXPIRES_AT).toISOString(),
    }),
    event(2, "token.issued", "draft", 1),
  ),
  commit(
    1,
    event(3, "handoff.created", "draft", 1, { participant: "par_2", note: "m1" }),
    event(4, "token.issued", "draft", 1),
  ),
  commit(1, set(5, "m2")),
  commit(2, set(6, "m4", "m2")),
  commit(1, event(7, "agent.note", "in_progress", 6, { mark: "m5" })),
  commit(
    2,
    event(8, "token.accessed", "in_progress", 6, { by: "resume", mark: "m6" }),
    event(9, "token.issued", "in_progress", 6),
  ),
  commit(1, set(10, "m7", "m4")),
];
const { states } = foldAll(COMMITS);
export const LOG = COMMITS.flatMap(({ events }) => events);
export const shownAt = (index: number): Shown => states[index] as Shown;
export const ok = (commitSeq: number, shown?: Shown): Outcome => ({
  kind: "ok",
  commit: commitSeq,
  replayed: false,
  ...(shown === undefined ? {} : { shown }),
});

export const operation = (
  id: string,
  name: string,
  participant: number,
  token: number,
  invoked: number,
  outcome: Outcome,
  more: Partial<Operation> = {},
): Operation => {
  const responded = outcome.kind === "unknown" ? Number.POSITIVE_INFINITY : invoked + 5;
  return {
    id,
    name,
    participant,
    token,
    invoked,
    responded,
    outcome,
    clock: [invoked, responded],
    ifMatch: null,
    mark: name === "create" ? null : id,
    hasLostAttempt: outcome.kind === "unknown",
    ...more,
  };
};

export const conflict: Outcome = {
  kind: "refused",
  code: "version_conflict",
  shown: shownAt(2),
  missed: LOG.slice(1, 5),
};

export const GOOD: SessionHistory = {
  id: "ses",
  scopes: SCOPES,
  commits: COMMITS,
  stored: { ...shownAt(6), expiresAt: EXPIRES_AT },
  operations: [
    operation("m0", "create", 1, 0, 10, ok(1, shownAt(0))),
    operation("m1", "handoff", 1, 1, 20, ok(3, shownAt(1))),
    operation("m2", "setFields", 1, 3, 30, ok(5, shownAt(2))),
    operation("m3", "setFields", 2, 3, 40, conflict),
    operation("m4", "setFields", 2, 3, 50, ok(6, shownAt(3)), { ifMatch: 5 }),
    operation("m5", "append", 1, 5, 60, ok(7)),
    operation("m6", "resume", 2, 6, 70, ok(8, shownAt(5))),
    operation("m7", "setFields", 1, 5, 80, { kind: "unknown" }, { ifMatch: 6 }),
    operation("m8", "setFields", 1, 5, 90, { kind: "unknown" }, { ifMatch: 6 }),
  ],
  reads: [
    { id: "r1", participant: 1, invoked: 36, responded: 39, clock: [36, 39], shown: shownAt(2) },
    { id: "r2", participant: 1, invoked: 77, responded: 99, clock: [77, 99], shown: shownAt(6) },
    // Slow: it may have looked at any time from before the handoff's answer on.
    { id: "r3", participant: 1, invoked: 22, responded: 99, clock: [22, 99], shown: shownAt(1) },
  ],
  streams: [
    { id: "event stream", after: 0, events: LOG },
    { id: "socket", after: 4, events: LOG.slice(4, 8) },
  ],
  puts: [],
  kept: [],
  children: [],
};

export const rulesOf = (history: SessionHistory): readonly string[] => [
  ...new Set(check(history).map(({ rule }) => rule)),
];

export const withOperation = (id: string, change: Partial<Operation>): SessionHistory => ({
  ...GOOD,
  operations: GOOD.operations.map((one) => (one.id === id ? { ...one, ...change } : one)),
});
export const withCommits = (commits: readonly LoggedCommit[]): SessionHistory => ({
  ...GOOD,
  commits,
  streams: [],
  stored: { ...(foldAll(commits).states.at(-1) as Shown), expiresAt: EXPIRES_AT },
});
export const asking = (...operations: Operation[]): SessionHistory => ({
  ...GOOD,
  operations: [...GOOD.operations, ...operations],
});
export const refused = (
  code: string,
  more: Partial<Outcome & { kind: "refused" }> = {},
): Outcome => ({
  kind: "refused",
  code,
  ...more,
});
