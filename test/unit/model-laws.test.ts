import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foldLog } from "../support/model/fold.ts";
import {
  EMPTY_HISTORY,
  type Child,
  type FilePut,
  type History,
  type LoggedCommit,
  type LoggedEvent,
  type Operation,
  type Outcome,
  type SessionView,
  viewOf,
} from "../support/model/history.ts";
import { check, LAWS, RUN_LAWS } from "../support/model/laws.ts";

const EXPIRES_AT = 1_000_000;
const END = new Date(EXPIRES_AT).toISOString();
const STATE = "in_progress";
const SECOND = { participant: "par_2", madeBy: "par_1", scopes: ["fill"] };

const event = (
  seq: number,
  type: string,
  state: string,
  version: number,
  payload: LoggedEvent["payload"] = {},
): LoggedEvent => ({
  seq,
  type,
  at: "1970-01-01T00:00:00Z",
  actor: {},
  participant: null,
  state,
  version,
  payload,
});
const plain = (seq: number, type: string, payload: LoggedEvent["payload"] = {}): LoggedEvent =>
  event(seq, type, STATE, 10, payload);
const moving = (seq: number, type: string, payload: LoggedEvent["payload"] = {}): LoggedEvent =>
  event(seq, type, STATE, seq, payload);
const set = (seq: number, mark: string, from?: string): LoggedEvent =>
  moving(seq, "fields.updated", { changes: [{ field: "f", from, to: mark }] });
const note = (seq: number, mark: string): LoggedEvent => plain(seq, "agent.note", { mark });

const commit = (participant: number | null, ...events: LoggedEvent[]): LoggedCommit => ({
  participant,
  first: events[0]?.seq ?? 0,
  last: events.at(-1)?.seq ?? 0,
  events: events.map((one) => ({
    ...one,
    participant: participant === null ? null : `par_${participant}`,
  })),
});

/** Created, handed off, written by both, appended to, resumed, and written once without an answer. */
const COMMITS: readonly LoggedCommit[] = [
  commit(
    1,
    event(1, "session.created", "draft", 1, { title: "t", expiresAt: END }),
    event(2, "token.issued", "draft", 1),
  ),
  commit(
    1,
    event(3, "handoff.created", "draft", 1, { ...SECOND, note: "m1" }),
    event(4, "token.issued", "draft", 1),
  ),
  commit(1, set(5, "m2")),
  commit(2, set(6, "m4", "m2")),
  commit(1, event(7, "agent.note", STATE, 6, { mark: "m5" })),
  commit(
    2,
    event(8, "token.accessed", STATE, 6, { by: "resume", mark: "m6" }),
    event(9, "token.issued", STATE, 6),
  ),
  commit(1, set(10, "m7", "m4")),
];
const LOG = COMMITS.flatMap(({ events }) => events);
const viewIn = (commits: readonly LoggedCommit[], index: number): SessionView =>
  viewOf(foldLog(commits).states.at(index) as SessionView);
const shownAt = (index: number): SessionView => viewIn(COMMITS, index);

const ok = (seq: number | null, shown?: SessionView): Outcome => {
  return { kind: "ok", commit: seq, replayed: false, shown };
};
const refused = (code: string, more: object = {}): Outcome => ({ kind: "refused", code, ...more });

type Sent = [string, number, number, number, Outcome, Partial<Operation>?];

const operation = (
  id: string,
  ...[name, participant, token, invoked, outcome, more = {}]: Sent
): Operation => {
  const responded = outcome.kind === "unknown" ? Number.POSITIVE_INFINITY : invoked + 5;
  return {
    id,
    name,
    way: "http",
    participant,
    token,
    key: `${id}-key`,
    invoked,
    responded,
    outcome,
    clock: [invoked, responded],
    ifMatch: null,
    args: name === "append" ? { events: [{ type: "agent.note" }] } : { fields: { f: id } },
    mark: name === "create" || name === "get" ? null : id,
    hasLostAttempt: outcome.kind === "unknown",
    ...more,
  };
};
const reading = (id: string, from: number, to: number, shown: SessionView, by = 1): Operation => {
  const span = { responded: to, clock: [from, to] } as const;
  return operation(id, "get", by, by === 1 ? 3 : 8, from, ok(null, shown), span);
};

const conflict = (missed: readonly LoggedEvent[]): Outcome =>
  refused("version_conflict", { shown: shownAt(2), missed });

const GOOD: History = {
  ...EMPTY_HISTORY,
  id: "ses",
  commits: COMMITS,
  stored: { ...shownAt(6), expiresAt: EXPIRES_AT },
  operations: [
    operation("m0", "create", 1, 0, 10, ok(1, shownAt(0))),
    operation("m1", "handoff", 1, 1, 20, ok(3, shownAt(1)), { args: { scopes: ["fill"] } }),
    operation("m2", "setFields", 1, 3, 30, ok(5, shownAt(2))),
    operation("m3", "setFields", 2, 3, 40, conflict(LOG.slice(1, 5))),
    operation("m4", "setFields", 2, 3, 50, ok(6, shownAt(3)), { ifMatch: 5 }),
    operation("m5", "append", 1, 5, 60, ok(7)),
    operation("m6", "resume", 2, 6, 70, ok(8, shownAt(5))),
    operation("m7", "setFields", 1, 5, 80, { kind: "unknown" }, { ifMatch: 6 }),
    operation("m8", "setFields", 1, 5, 90, { kind: "unknown" }, { ifMatch: 6 }),
    reading("r1", 36, 39, shownAt(2)),
    reading("r2", 77, 99, shownAt(6)),
    // Slow: it may have looked at any time from before the handoff's answer on.
    reading("r3", 22, 99, shownAt(1)),
  ],
  streams: [
    { id: "event stream", after: 0, events: LOG },
    { id: "socket", after: 4, events: LOG.slice(4, 8) },
  ],
};

const lawsOf = (history: History): readonly string[] => [
  ...new Set(check(history).map(({ law }) => law)),
];
const withOperation = (id: string, change: Partial<Operation>, from = GOOD): History => ({
  ...from,
  operations: from.operations.map((one) => (one.id === id ? { ...one, ...change } : one)),
});
const withCommits = (commits: readonly LoggedCommit[]): History => ({
  ...GOOD,
  commits,
  streams: [],
  stored: { ...viewIn(commits, -1), expiresAt: EXPIRES_AT },
});
const replacing = (place: number, other: LoggedCommit): History =>
  withCommits(COMMITS.map((one, index) => (index === place ? other : one)));
const going = (...more: LoggedCommit[]): History => withCommits([...COMMITS, ...more]);
const sending = (history: History, ...more: readonly Operation[]): History => ({
  ...history,
  operations: [...history.operations, ...more],
});
/** The good history with one more operation. */
const sent = (...[name, participant, token, invoked, outcome, more]: Sent): History =>
  sending(GOOD, operation("x", name, participant, token, invoked, outcome, more));
/** As it was, but without the operations that look at what is changed. */
const blind = (history: History): History => ({
  ...history,
  operations: history.operations.filter(({ name }) => name !== "get"),
});

const put = (sha256: string, invoked: number, more: Partial<FilePut> = {}): FilePut => ({
  id: sha256.slice(0, 4),
  upload: "upl_1",
  sha256,
  invoked,
  responded: invoked + 5,
  clock: [invoked, invoked + 5],
  outcome: "ok",
  ...more,
});

const files = (sha256: string | null) => ({ files: [{ upload: "upl_1", sha256 }] });

const trimmed = (floor: number, seq = 7) =>
  commit(
    1,
    plain(11, "session.trimmed", { floor, checkpoint: { id: "chk_1", seq }, outcome: "success" }),
  );

const without = (index: number): readonly LoggedCommit[] =>
  COMMITS.map((one, place) => (place === index ? { ...one, isTrimmed: true } : one));

const reported = (seq: number, eventSeq: number, message: string): LoggedEvent =>
  plain(seq, "job.event", { eventSeq, kind: "log", body: { message } });

const M7 = { hasLostAttempt: true, responded: 99 };
const illegal = refused("illegal_transition", { from: STATE });
const limited = { ...M7, outcome: refused("rate_limited") };

type Histories = Readonly<Record<string, History>>;

/** Correct histories break no law; each other history breaks the law that it is listed under, and if `isOnly` no other. */
function describeLaws(
  what: string,
  correct: Histories,
  planted: Readonly<Record<string, Histories>>,
  isOnly = true,
): void {
  const rows = Object.entries(planted).flatMap(([law, histories]) =>
    Object.entries(histories).map(([name, history]) => ({ law, name, history })),
  );
  describe(what, () => {
    for (const [name, history] of Object.entries(correct)) {
      it(`${name} breaks no law`, () => expect(check(history)).toEqual([]));
    }
    it.each(rows)("$name breaks: $law", ({ law, history }) => {
      expect(lawsOf(history)).toEqual(isOnly ? [law] : expect.arrayContaining([law]));
    });
  });
}

const replay = { kind: "ok", commit: 5, replayed: true, shown: shownAt(6) } as const;
const late = { responded: 95, clock: [30, 95] as const, hasLostAttempt: true, outcome: replay };
const alike = (id: string, from: History, ifMatch: number) =>
  withOperation(id, { mark: null, ifMatch, args: { fields: { f: "m7" } } }, from);
const outdated = refused("precondition_failed", { shown: shownAt(5) });
const atEnd = { clock: [EXPIRES_AT - 1, EXPIRES_AT] } as const;
const early = { invoked: 61, responded: 65, clock: [61, 65] } as const;

describeLaws(
  "a history of a correct server",
  {
    "with an unanswered write that happened and one that did not": GOOD,
    "with an answer that was replayed much later": withOperation("m2", late),
    "with a spent token": sent("setFields", 1, 3, 60, refused("token_superseded")),
    "with an append after a resume": sent("append", 2, 6, 80, refused("token_superseded")),
    "with a missing scope": sent("finalize", 2, 8, 90, refused("scope_denied")),
    "with a state that does not allow it": sent("finalize", 1, 5, 65, illegal, { ifMatch: 6 }),
    "with an old version": sent("setFields", 2, 8, 78, outdated, { ifMatch: 5 }),
    "with an expiry": sent("append", 1, 5, 90, refused("expired"), atEnd),
    "with a lost attempt that came after its refusal": withOperation("m7", limited),
    "with a lost attempt that came after later requests": withOperation("m7", {
      ...limited,
      ...early,
    }),
    "with two unanswered writes that look alike": alike("m8", alike("m7", GOOD, 5), 6),
  },
  {},
);

const observing = (changedStorage: boolean, rowsWritten: number) => ({
  observed: { changedStorage, rowsWritten },
});
const stored = (torn: object): History => ({
  ...GOOD,
  stored: { ...shownAt(6), expiresAt: EXPIRES_AT, ...torn },
});
const seen = (...events: readonly (LoggedEvent | undefined)[]): History => ({
  ...GOOD,
  streams: [{ id: "socket", after: 0, events: events as LoggedEvent[], target: 0 }],
});
const extended = { expiresAt: END, mark: "m6" };

/** Violations, by the law that must be among those that are broken. */
const PLANTED: Readonly<Record<string, Histories>> = {
  "every acknowledged write is in the log": {
    "a write that is lost": withOperation("m2", { outcome: ok(11) }),
    "a write with other content": withOperation("m2", { mark: "other" }),
  },
  "a write happens at most once": {
    "an acknowledged write twice": going(commit(1, note(11, "m5"))),
    "an unanswered write twice": going(commit(1, set(11, "m7", "m7"))),
    "a write that was never requested": going(commit(2, note(11, "stray"))),
    "a refused write": withOperation("m7", { outcome: illegal, hasLostAttempt: false }),
  },
  "an event names the participant that wrote it": {
    "an event of another participant": going({
      ...commit(1, note(11, "m5")),
      events: [{ ...note(11, "m5"), participant: "par_2" }],
    }),
  },
  "the log has no gaps": {
    "a gap": replacing(6, commit(1, set(11, "m7", "m4"))),
    "a number that is given twice": going(commit(2, note(10, "x"))),
  },
  "the stored session is the fold of its log": {
    "other fields": stored({ fields: { f: "m4" } }),
    "another version": stored({ version: 6 }),
    "another state": stored({ state: "draft" }),
    "another head": stored({ head: 9 }),
    "another end": stored({ expiresAt: 5 }),
    "a change from what was not there": replacing(3, commit(2, set(6, "m4", "m0"))),
  },
  "the product's fold agrees": {
    "another fold": { ...GOOD, productFold: { stored: 1, folded: 2 } },
  },
  "no response shows a torn state": {
    "a state that never existed": withOperation("m4", {
      outcome: ok(6, { ...shownAt(3), fields: { f: "m2" } }),
    }),
    "one inside a commit": sending(GOOD, reading("r", 77, 99, { ...shownAt(5), head: 8 })),
  },
  "no read is stale": {
    "what was over": sending(GOOD, reading("r", 77, 79, shownAt(2))),
    "what was not yet sent": sending(GOOD, reading("r", 36, 39, shownAt(4))),
  },
  "an answer shows what it wrote": {
    "another write": withOperation("m2", { outcome: ok(5, shownAt(3)), responded: 60 }),
  },
  "a token is spent once": { "two winners": withOperation("m6", { token: 3 }) },
  "every write has its own commit": {
    "two that were given the same": sending(
      GOOD,
      operation("m2b", "setFields", 1, 3, 31, ok(5), { mark: null }),
    ),
  },
  "a write is based on the current version": {
    "a write on what was not seen": withOperation("m4", { ifMatch: null }),
    "a write on an older version": withOperation("m4", { ifMatch: 1 }),
  },
  "only moving writes move the version": {
    "a resume that does": replacing(
      5,
      commit(2, event(8, "token.accessed", STATE, 8, { mark: "m6" }), moving(9, "token.issued")),
    ),
  },
  "the log has the order of real time": {
    "another order": withOperation("m5", { invoked: 77, responded: 79, clock: [77, 79] }),
  },
  "a replay repeats the answer": {
    "another answer": sending(
      withOperation("m2", { outcome: { kind: "ok", commit: 5, replayed: false, issued: "a" } }),
      operation("m2", "setFields", 1, 3, 36, { ...ok(5), replayed: true, issued: "b" } as Outcome),
    ),
  },
  "refusals are justified": {
    "what got through, sent again": withOperation("m7", {
      ...M7,
      outcome: refused("token_superseded"),
    }),
    "other missed events": withOperation("m3", { outcome: conflict(LOG.slice(2, 5)) }),
    "no missed events": withOperation("m3", { outcome: conflict([]) }),
    "a code that nothing explains": withOperation("m3", { outcome: refused("token_invalid") }),
    "a token that is not spent": sent("setFields", 2, 8, 90, refused("token_superseded")),
    "a token that is not fenced": sent("append", 1, 3, 90, refused("token_superseded")),
    "a scope that is there": sent("setFields", 2, 8, 90, refused("scope_denied")),
    "a time that is not up": sent("append", 1, 5, 90, refused("expired")),
    "a time that is not up for a read": sent("get", 2, 8, 90, refused("expired")),
    "something that is there": sent("append", 1, 5, 90, refused("not_found")),
    "no pause": sent("resume", 2, 8, 90, refused("paused"), { args: { auto: true } }),
    "a state that allows it": sent("setFields", 1, 5, 65, illegal, { ifMatch: 6 }),
    "the version that was seen": sent(
      ...(["setFields", 2, 8, 78, refused("version_conflict", { shown: shownAt(5) })] as const),
    ),
  },
  "scopes are enforced": {
    "an extension by one that fills in": withOperation(
      "m6",
      { name: "extend", outcome: ok(8) },
      replacing(5, commit(2, event(8, "session.extended", STATE, 6, extended))),
    ),
  },
  "an expired session accepts nothing": {
    "a later write": withOperation("m6", { clock: [EXPIRES_AT, EXPIRES_AT + 5] }),
  },
  "nothing follows the end": {
    "a second end": going(
      commit(null, event(11, "session.expired", "expired", 11)),
      commit(null, event(12, "session.expired", "expired", 12)),
    ),
  },
  "readers see the log": {
    "one that misses an event": seen(...LOG.slice(0, 4), ...LOG.slice(5)),
    "one that gets an event twice": seen(...LOG.slice(0, 5), ...LOG.slice(4)),
    "one that gets another order": seen(...LOG.slice(0, 4), LOG[5], LOG[4], ...LOG.slice(6)),
    "one that gets what is not there": seen(...LOG, note(11, "x")),
    "one that gets another event": seen(...LOG.slice(0, 9), { ...set(10, "m7"), payload: {} }),
  },
  "every reader reaches the end": {
    "one that stops early": {
      ...GOOD,
      streams: [{ id: "socket", after: 0, events: LOG.slice(0, 4), target: 10 }],
    },
  },
  "refusals, reads and replays write nothing": {
    "a refusal": sent("finalize", 2, 8, 97, refused("scope_denied"), observing(true, 0)),
    "a read": sent("get", 2, 8, 97, ok(null, shownAt(6)), observing(true, 0)),
  },
  "an accepted write is stored": { "one that is not": withOperation("m2", observing(false, 0)) },
  "a write stays in its budget of rows": { "too many": withOperation("m2", observing(true, 4)) },
  "announcements are commits": {
    "one that is left out": {
      ...GOOD,
      announcements: COMMITS.slice(1).map(({ first, last }) => ({ first, last, text: "" })),
    },
  },
  "a write leads to its target state": {
    "another state": replacing(6, commit(1, { ...set(10, "m7", "m4"), state: "submitted" })),
  },
  "a write has its effect": {
    "a field less": withOperation("m2", { args: { fields: { f: "m2", g: "m2" } } }),
  },
  "a commit has every event that it should": {
    "an event less": withOperation("m5", {
      args: { events: [{ type: "agent.note" }, { type: "agent.note" }] },
    }),
  },
};

describeLaws("a planted violation is found", {}, PLANTED, false);

const REVOKED = "a revoked participant is refused";
{
  const cut = going(
    commit(
      1,
      plain(11, "handoff.revoked", { participants: ["par_2"] }),
      plain(12, "token.revoked"),
    ),
  );
  const revoke = operation("x", "revoke", 1, 10, 100, ok(11), { mark: null, args: { target: 2 } });
  const history = sending(cut, revoke);
  const late = operation("y", "append", 2, 8, 110, refused("token_invalid"));
  const empty = going(commit(1, plain(11, "handoff.revoked", { participants: [] })));
  const written = withCommits([...cut.commits, commit(2, note(13, "y"))]);
  describeLaws(
    "a revocation",
    { "that refuses its participant": sending(history, late, { ...late, id: "z", name: "get" }) },
    {
      "refusals are justified": {
        "of others": sending(
          history,
          operation("y", "append", 1, 10, 110, refused("token_invalid")),
        ),
        "that comes too early": sending(history, {
          ...late,
          invoked: 85,
          responded: 90,
          clock: [85, 90],
        }),
      },
      [REVOKED]: {
        "that still shows the session": sending(
          history,
          reading("y", 110, 111, viewIn(cut.commits, -1), 2),
        ),
        "after which its participant writes": sending(written, revoke, {
          ...late,
          outcome: ok(13),
        }),
      },
      "a revocation reaches every descendant": {
        "that leaves one out": sending(empty, { ...revoke, args: { target: "others" } }),
      },
    },
    false,
  );
}

{
  const person = { participant: "par_5", madeBy: "par_1", to: "human", singleUse: true, note: "l" };
  const issued = commit(1, plain(11, "handoff.link_issued", { ...person, expiresAt: END }));
  const opened = (seq: number, mark: string) =>
    commit(5, plain(seq, "handoff.opened", { mark }), plain(seq + 1, "token.accessed"));
  const link = operation("l", "link", 1, 10, 100, ok(11), { args: { scopes: ["fill"] } });
  const press = (id: string, outcome: Outcome, invoked = 110) =>
    operation(id, "openLink", 5, 0, invoked, outcome);
  const history = (commits: readonly LoggedCommit[], ...presses: readonly Operation[]): History =>
    sending(going(issued, ...commits), link, ...presses);
  describeLaws(
    "a link",
    {
      "that one opens and another finds used": history(
        [opened(12, "a")],
        press("a", ok(null)),
        press("b", refused("link_over")),
      ),
    },
    {
      "a link opens once": {
        "that opens twice": history(
          [opened(12, "a"), opened(14, "b")],
          press("a", ok(null)),
          press("b", ok(null), 120),
        ),
      },
      "every acknowledged write is in the log": {
        "whose opening is acknowledged and not stored": history([], press("a", ok(null))),
      },
      "a refused link was used or had ended": {
        "that is open and unknown": history([], press("a", refused("link_unknown"))),
        "that is open and refused as over": history([], press("a", refused("link_over"))),
      },
    },
  );
}

{
  const [SENT, OTHER] = ["a".repeat(64), "b".repeat(64)];
  const requested = moving(11, "upload.requested", { upload: "upl_1", name: "u" });
  const announced = commit(1, { ...requested, state: "awaiting_upload" });
  const confirmed = commit(1, moving(12, "upload.confirmed", { upload: "upl_1", sha256: SENT }));
  const removed = commit(1, moving(13, "upload.removed", { upload: "upl_1" }));
  const announce = operation("u", "requestUpload", 1, 10, 100, ok(11), { ifMatch: 10 });
  const args = { upload: 1 };
  const confirm = operation("upl_1", "confirmUpload", 1, 11, 130, ok(12), { args });
  const remove = operation("upl_1", "removeUpload", 1, 12, 140, ok(13), { args });
  const refusal = { ...confirm, id: "y", mark: "y", outcome: refused("invalid_request") };
  const whole = sending(going(announced, confirmed), announce, confirm);
  const without = sending(going(announced, confirmed, removed), announce, confirm, remove);
  const unconfirmed = sending(going(announced), announce, refusal);
  const history = (puts: readonly FilePut[], from = whole): History => ({ ...from, puts });
  const one = [put(SENT, 110)];
  describeLaws(
    "a file",
    {
      "that is the last that was sent, and is there": {
        ...history([put(OTHER, 110), put(SENT, 120)]),
        ...files(SENT),
      },
      "whose sending got no answer": history([put(SENT, 110, { outcome: "unknown" })]),
      "that was sent at the same time as another": history([put(SENT, 110), put(OTHER, 112)]),
      "that was removed": { ...history(one, without), ...files(null) },
      "that never arrived": history([], unconfirmed),
    },
    {
      "confirmed files are those that were sent": {
        "that was never sent": history([put(OTHER, 110)]),
        "that was sent after it was confirmed": history([put(SENT, 200)]),
        "whose sending was refused": history([put(SENT, 110, { outcome: "refused" })]),
        "that another had replaced": history([put(SENT, 110), put(OTHER, 120)]),
        "that is lost in the end": { ...history(one), ...files(null) },
        "that is another in the end": { ...history(one), ...files(OTHER) },
        "that was removed and is still there": { ...history(one, without), ...files(SENT) },
        "that arrived and cannot be confirmed": history(one, unconfirmed),
      },
    },
  );
}

{
  const forked = commit(1, plain(11, "session.forked", { child: "ses_c", reason: "x" }));
  const { title, fields } = shownAt(6);
  const child = { id: "ses_c", stored: { title, fields }, status: 200 };
  const history = (change: Partial<Child>): History => ({
    ...sending(going(forked), operation("x", "fork", 1, 10, 100, ok(11))),
    children: [{ ...child, ...change }],
  });
  describeLaws(
    "a fork",
    { "whose child started as it was": history({}) },
    {
      "every fork has its child": {
        "whose child is not there": history({ stored: null }),
        "whose child started differently": history({ stored: { title, fields: { f: "m4" } } }),
        "whose child refuses its token": history({ status: 403 }),
      },
    },
  );
}

{
  const trim = operation("chk_1", "trim", 1, 10, 100, ok(11), { mark: null });
  const history = (...commits: readonly LoggedCommit[]) => sending(withCommits(commits), trim);
  const good = history(...without(4), trimmed(7));
  const gap = (after: number): Operation =>
    operation("y", "events", 2, 8, 110, refused("replay_gap"), { args: { after } });
  const late = { id: "late", after: 0, events: LOG.filter(({ seq }) => seq !== 7) };
  describeLaws(
    "a trim",
    { "that removes an append below its floor": sending(good, gap(3)) },
    {
      "refusals are justified": { "that leaves a gap above its floor": sending(good, gap(7)) },
      "readers see the log": { "that a reader misses": { ...good, streams: [late] } },
      "a trim removes only what it may": {
        "that removes the server's own events": history(...without(3), trimmed(7)),
        "that removes what is above its floor": history(...without(4), trimmed(5)),
        "that reaches above its checkpoint": history(...without(4), trimmed(7, 6)),
        "that has no event": history(...without(4)),
      },
    },
    false,
  );
}

{
  const job = {
    acknowledged: ["a", "b"],
    unknown: ["u", "never"],
    received: ["a", "b", "u"].map((mark, index) => ({ seq: index + 1, mark })),
  };
  const batches = [
    commit(1, reported(11, 1, "a"), reported(12, 2, "b")),
    commit(1, reported(13, 3, "u")),
  ];
  const history = (change: Partial<typeof job>, ...more: LoggedCommit[]): History => ({
    ...going(...batches, ...more),
    job: { ...job, ...change },
  });
  describeLaws(
    "a job",
    { "whose acknowledged events are there once, in order, and are received so": history({}) },
    {
      "job events are stored once and in order": {
        "whose event is lost": history({ acknowledged: ["a", "b", "c"] }),
        "whose events have another order": history({ acknowledged: ["b", "a"] }),
        "with an event that no executor sent": history({ unknown: [] }),
        "whose event is doubled": history({}, commit(1, reported(14, 4, "a"))),
      },
      "readers see the log": {
        "whose client misses an event": history({ received: job.received.slice(1) }),
        "whose client gets another event": history({ received: [{ seq: 1, mark: "b" }] }),
      },
    },
  );
}

{
  const purge = { rows: 0, files: 0, requests: [{ what: "get", status: 410 }] };
  const history = (change: Partial<typeof purge>): History => ({
    ...GOOD,
    purge: { ...purge, ...change },
  });
  const done = operation("p", "purge", 1, 10, 100, ok(null));
  describeLaws(
    "a purge",
    { "that leaves nothing": history({}) },
    {
      "a purge leaves nothing": {
        "that leaves rows": history({ rows: 1 }),
        "that leaves files": history({ files: 1 }),
        "after which a request succeeds": history({ requests: [{ what: "get", status: 200 }] }),
      },
      [REVOKED]: {
        "after which the session is shown": sending(
          blind(GOOD),
          done,
          reading("r", 120, 125, shownAt(6)),
        ),
      },
    },
    false,
  );
}

describe("the laws", () => {
  it("have one name each, and name clauses of the protocol", () => {
    expect(new Set(LAWS.map(({ name }) => name)).size).toBe(LAWS.length);
    const protocol = readFileSync(join(import.meta.dirname, "../../docs/protocol.md"), "utf8");
    const isClause = (clause: string): boolean => protocol.includes(`- **${clause}** `);
    for (const { name, clauses } of [...LAWS, ...RUN_LAWS]) {
      expect(clauses.length, name).toBeGreaterThan(0);
      expect(
        clauses.filter((clause) => !isClause(clause)),
        name,
      ).toEqual([]);
    }
  });
});
