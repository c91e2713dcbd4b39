/** Long because each violation is planted into a history of its own, written out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foldLog } from "../support/model/fold.ts";
import {
  EMPTY_HISTORY,
  type FilePut,
  type History,
  type LoggedCommit,
  type LoggedEvent,
  type Operation,
  type Outcome,
  type SessionView,
} from "../support/model/history.ts";
import { check, LAWS, RUN_LAWS } from "../support/model/laws.ts";

const EXPIRES_AT = 1_000_000;
const STATE = "in_progress";

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
  moving(seq, "fields.updated", {
    changes: [{ field: "f", ...(from === undefined ? {} : { from }), to: mark }],
  });
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
    event(1, "session.created", "draft", 1, {
      title: "t",
      expiresAt: new Date(EXPIRES_AT).toISOString(),
    }),
    event(2, "token.issued", "draft", 1),
  ),
  commit(
    1,
    event(3, "handoff.created", "draft", 1, {
      participant: "par_2",
      madeBy: "par_1",
      scopes: ["fill"],
      note: "m1",
    }),
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
const viewIn = (commits: readonly LoggedCommit[], index: number): SessionView => {
  const { state, version, head, paused, title, fields } = foldLog(commits).states.at(
    index,
  ) as SessionView;
  return { state, version, head, paused, title, fields };
};
const shownAt = (index: number): SessionView => viewIn(COMMITS, index);

const ok = (seq: number | null, shown?: SessionView): Outcome => ({
  kind: "ok",
  commit: seq,
  replayed: false,
  ...(shown === undefined ? {} : { shown }),
});
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
const reading = (
  id: string,
  invoked: number,
  responded: number,
  shown: SessionView,
  participant = 1,
) =>
  operation(id, "get", participant, participant === 1 ? 3 : 8, invoked, ok(null, shown), {
    responded,
    clock: [invoked, responded],
  });

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
const asking = (history: History, ...more: readonly Operation[]): History => ({
  ...history,
  operations: [...history.operations, ...more],
});
/** The good history with one more operation. */
const sent = (...[name, participant, token, invoked, outcome, more]: Sent): History =>
  asking(GOOD, operation("x", name, participant, token, invoked, outcome, more));
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
const limited = refused("rate_limited");

describe("a history that a correct server can have made", () => {
  it("is passed, with an unanswered write that happened and one that did not", () => {
    expect(check(GOOD)).toEqual([]);
  });

  const replay = { kind: "ok", commit: 5, replayed: true, shown: shownAt(6) } as const;
  const late = { responded: 95, clock: [30, 95] as const, hasLostAttempt: true, outcome: replay };
  const alike = (id: string, from: History, ifMatch: number) =>
    withOperation(id, { mark: null, ifMatch, args: { fields: { f: "m7" } } }, from);
  it.each<[string, History]>([
    ["an answer that was replayed much later", withOperation("m2", late)],
    ["a spent token", sent("setFields", 1, 3, 60, refused("token_superseded"))],
    ["an append behind a resume", sent("append", 2, 6, 80, refused("token_superseded"))],
    ["a right that is lacking", sent("finalize", 2, 8, 90, refused("scope_denied"))],
    ["a state that does not allow it", sent("finalize", 1, 5, 65, illegal, { ifMatch: 6 })],
    [
      "a version that is over",
      sent("setFields", 2, 8, 78, refused("precondition_failed", { shown: shownAt(5) }), {
        ifMatch: 5,
      }),
    ],
    [
      "a time that is up",
      sent("append", 1, 5, 90, refused("expired"), { clock: [EXPIRES_AT - 1, EXPIRES_AT] }),
    ],
    [
      "a refusal whose lost attempt came in later",
      withOperation("m7", { ...M7, outcome: limited }),
    ],
    [
      "a refusal whose lost attempt came in after what was sent later",
      withOperation("m7", { ...M7, invoked: 61, responded: 65, clock: [61, 65], outcome: limited }),
    ],
    ["two unanswered writes that look alike", alike("m8", alike("m7", GOOD, 5), 6)],
  ])("is passed with %s", (_, history) => {
    expect(check(history)).toEqual([]);
  });
});

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
const extended = { expiresAt: new Date(EXPIRES_AT).toISOString(), mark: "m6" };

/** What is planted, by the law that must be among those that are broken. */
const PLANTED: Readonly<Record<string, Readonly<Record<string, History>>>> = {
  "acknowledged writes are kept": {
    "a write that is lost": withOperation("m2", { outcome: ok(11) }),
    "a write with other content": withOperation("m2", { mark: "other" }),
  },
  "every write at most once": {
    "an acknowledged write twice": going(commit(1, note(11, "m5"))),
    "an unanswered write twice": going(commit(1, set(11, "m7", "m7"))),
    "a write of nobody": going(commit(2, note(11, "stray"))),
    "a refused write": withOperation("m7", { outcome: illegal, hasLostAttempt: false }),
  },
  "an event names the participant that wrote it": {
    "words in another's mouth": going({
      ...commit(1, note(11, "m5")),
      events: [{ ...note(11, "m5"), participant: "par_2" }],
    }),
  },
  "dense log": {
    "a gap": replacing(6, commit(1, set(11, "m7", "m4"))),
    "a number that is given twice": going(commit(2, note(10, "x"))),
  },
  "fold is the state": {
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
  "no torn states": {
    "one that never was": withOperation("m4", {
      outcome: ok(6, { ...shownAt(3), fields: { f: "m2" } }),
    }),
    "one inside a commit": asking(GOOD, reading("r", 77, 99, { ...shownAt(5), head: 8 })),
  },
  "no stale reads": {
    "what was over": asking(GOOD, reading("r", 77, 79, shownAt(2))),
    "what was not yet sent": asking(GOOD, reading("r", 36, 39, shownAt(4))),
  },
  "an answer shows what it wrote": {
    "another write": withOperation("m2", { outcome: ok(5, shownAt(3)), responded: 60 }),
  },
  "a token is spent once": { "two winners": withOperation("m6", { token: 3 }) },
  "one commit a write": {
    "two that were given the same": asking(
      GOOD,
      operation("m2b", "setFields", 1, 3, 31, ok(5), { mark: null }),
    ),
  },
  "versions are a chain": {
    "a write on what was not seen": withOperation("m4", { ifMatch: null }),
    "a write on an older version": withOperation("m4", { ifMatch: 1 }),
  },
  "only moving writes move the version": {
    "a resume that does": replacing(
      5,
      commit(2, event(8, "token.accessed", STATE, 8, { mark: "m6" }), moving(9, "token.issued")),
    ),
  },
  "real time": {
    "another order": withOperation("m5", { invoked: 77, responded: 79, clock: [77, 79] }),
  },
  "a replay is the same answer": {
    "another answer": asking(
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
  "scopes are kept": {
    "an extension by one that fills in": withOperation(
      "m6",
      { name: "extend", outcome: ok(8) },
      replacing(5, commit(2, event(8, "session.extended", STATE, 6, extended))),
    ),
  },
  "expired is over at once": {
    "a later write": withOperation("m6", { clock: [EXPIRES_AT, EXPIRES_AT + 5] }),
  },
  "nothing after the end": {
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
  "readers are not left behind": {
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
  "rows written stay in their budget": { "too many": withOperation("m2", observing(true, 4)) },
  "announcements are commits": {
    "one that is left out": {
      ...GOOD,
      announcements: COMMITS.slice(1).map(({ first, last }) => ({ first, last, text: "" })),
    },
  },
  "a write leads to the state that the table says": {
    "another state": replacing(6, commit(1, { ...set(10, "m7", "m4"), state: "submitted" })),
  },
  "a write has its effect": {
    "a field less": withOperation("m2", { args: { fields: { f: "m2", g: "m2" } } }),
  },
  "a commit tells all that happened": {
    "an event less": withOperation("m5", {
      args: { events: [{ type: "agent.note" }, { type: "agent.note" }] },
    }),
  },
};

describe.each(Object.entries(PLANTED))("a planted violation is found: %s", (law, planted) => {
  it.each(Object.entries(planted))("%s", (_, history) => {
    expect(lawsOf(history)).toContain(law);
  });
});

describe("a revocation", () => {
  const REVOKED = going(
    commit(
      1,
      plain(11, "handoff.revoked", { participants: ["par_2"] }),
      plain(12, "token.revoked"),
    ),
  );
  const revoke = operation("x", "revoke", 1, 10, 100, ok(11), { mark: null, args: { target: 2 } });
  const history = asking(REVOKED, revoke);

  it("is passed with those it concerns turned away", () => {
    const late = operation("y", "append", 2, 8, 110, refused("token_invalid"));
    expect(check(asking(history, late, { ...late, id: "z", name: "get" }))).toEqual([]);
  });

  it.each<[string, Operation, string]>([
    [
      "turns away others",
      operation("y", "append", 1, 10, 110, refused("token_invalid")),
      "refusals are justified",
    ],
    [
      "turns away too early",
      operation("y", "append", 2, 8, 85, refused("token_invalid")),
      "refusals are justified",
    ],
    [
      "still shows the session",
      reading("y", 110, 111, viewIn(REVOKED.commits, -1), 2),
      "the revoked are let in nowhere",
    ],
  ])("that %s is found", (_, one, law) => {
    expect(lawsOf(asking(history, one))).toContain(law);
  });

  it("after which one goes on writing is found", () => {
    const more = commit(2, note(13, "y"));
    const late = asking(
      withCommits([...REVOKED.commits, more]),
      revoke,
      operation("y", "append", 2, 8, 110, ok(13)),
    );
    expect(lawsOf(late)).toEqual(["the revoked are let in nowhere"]);
  });

  it("that leaves out one that it must reach is found", () => {
    const others = { ...revoke, args: { target: "others" } };
    const empty = going(commit(1, plain(11, "handoff.revoked", { participants: [] })));
    expect(lawsOf(asking(empty, others))).toContain("a revocation reaches all it must");
  });
});

describe("a link", () => {
  const person = { participant: "par_5", madeBy: "par_1", to: "human", singleUse: true };
  const issued = commit(
    1,
    plain(11, "handoff.link_issued", {
      ...person,
      note: "l",
      expiresAt: new Date(EXPIRES_AT).toISOString(),
    }),
  );
  const opened = (seq: number, mark: string) =>
    commit(5, plain(seq, "handoff.opened", { mark }), plain(seq + 1, "token.accessed"));
  const link = operation("l", "link", 1, 10, 100, ok(11), { args: { scopes: ["fill"] } });
  const press = (id: string, invoked: number, outcome: Outcome) =>
    operation(id, "openLink", 5, 0, invoked, outcome);

  it("is passed if one opens it and another finds it used", () => {
    const used = press("b", 110, refused("link_over"));
    const history = asking(going(issued, opened(12, "a")), link, press("a", 110, ok(null)), used);
    expect(check(history)).toEqual([]);
  });

  it("that opens twice is found", () => {
    const twice = going(issued, opened(12, "a"), opened(14, "b"));
    const history = asking(twice, link, press("a", 110, ok(null)), press("b", 120, ok(null)));
    expect(lawsOf(history)).toEqual(["a link opens once"]);
  });

  it("whose opening is acknowledged and not kept is found", () => {
    const history = asking(going(issued), link, press("a", 110, ok(null)));
    expect(lawsOf(history)).toEqual(["acknowledged writes are kept"]);
  });

  it.each(["link_unknown", "link_over"])("that nothing closed and that is %s is found", (code) => {
    const history = asking(going(issued), link, press("a", 110, refused(code)));
    expect(lawsOf(history)).toEqual(["a link that is refused was used or is over"]);
  });
});

describe("a file", () => {
  const [SENT, OTHER] = ["a".repeat(64), "b".repeat(64)];
  const FILES = "confirmed files are those that were sent";
  const requested = moving(11, "upload.requested", { upload: "upl_1", name: "u" });
  const announced = commit(1, { ...requested, state: "awaiting_upload" });
  const confirmed = commit(1, moving(12, "upload.confirmed", { upload: "upl_1", sha256: SENT }));
  const announce = operation("u", "requestUpload", 1, 10, 100, ok(11), { ifMatch: 10 });
  const args = { upload: 1 };
  const confirm = operation("upl_1", "confirmUpload", 1, 11, 130, ok(12), { args });
  const history = (puts: readonly FilePut[]): History => ({
    ...asking(going(announced, confirmed), announce, confirm),
    puts,
  });

  it("is passed if it is the last that was sent, and is there", () => {
    expect(check({ ...history([put(OTHER, 110), put(SENT, 120)]), ...files(SENT) })).toEqual([]);
    expect(check(history([put(SENT, 110, { outcome: "unknown" })]))).toEqual([]);
    // Both on their way at once: either may be the last.
    expect(check(history([put(SENT, 110), put(OTHER, 112)]))).toEqual([]);
  });

  it.each([
    ["that nobody sent", [put(OTHER, 110)]],
    ["that was sent after it was confirmed", [put(SENT, 200)]],
    ["whose sending was refused", [put(SENT, 110, { outcome: "refused" })]],
    ["that another had replaced", [put(SENT, 110), put(OTHER, 120)]],
  ] as const)("%s is found", (_, puts) => {
    expect(lawsOf(history(puts))).toEqual([FILES]);
  });

  it.each([null, OTHER])("that is %s in the end is found", (sha256) => {
    expect(lawsOf({ ...history([put(SENT, 110)]), ...files(sha256) })).toEqual([FILES]);
  });

  it("that was removed and is still there is found", () => {
    const removed = commit(1, moving(13, "upload.removed", { upload: "upl_1" }));
    const remove = operation("upl_1", "removeUpload", 1, 12, 140, ok(13), { args });
    const after = {
      ...asking(going(announced, confirmed, removed), announce, confirm, remove),
      puts: [put(SENT, 110)],
    };
    expect(check({ ...after, ...files(null) })).toEqual([]);
    expect(lawsOf({ ...after, ...files(SENT) })).toEqual([FILES]);
  });

  it("that arrived and cannot be confirmed is found", () => {
    const refusal = operation("y", "confirmUpload", 1, 11, 130, refused("invalid_request"), {
      args,
    });
    const arrived = asking(going(announced), announce, refusal);
    expect(check({ ...arrived, puts: [] })).toEqual([]);
    expect(lawsOf({ ...arrived, puts: [put(SENT, 110)] })).toEqual([FILES]);
  });
});

describe("a fork", () => {
  const forked = commit(1, plain(11, "session.forked", { child: "ses_c", reason: "x" }));
  const history = asking(going(forked), operation("x", "fork", 1, 10, 100, ok(11)));
  const { title, fields } = shownAt(6);
  const child = { id: "ses_c", stored: { title, fields }, status: 200 };

  it("is passed if its child started as it was", () => {
    expect(check({ ...history, children: [child] })).toEqual([]);
  });

  it.each([
    ["that is not there", { ...child, stored: null }],
    ["that started otherwise", { ...child, stored: { title, fields: { f: "m4" } } }],
    ["whose token opens nothing", { ...child, status: 403 }],
  ])("with a child %s is found", (_, wrong) => {
    expect(lawsOf({ ...history, children: [wrong] })).toEqual(["forks have their children"]);
  });
});

describe("a trim", () => {
  const TRIMS = "a trim takes only what may go";
  const trim = operation("chk_1", "trim", 1, 10, 100, ok(11), { mark: null });
  const history = (...commits: readonly LoggedCommit[]) => asking(withCommits(commits), trim);

  it("is passed if it takes an append below its floor, and later readers are told of the gap", () => {
    const args = { after: 3 };
    const gap = operation("y", "events", 2, 8, 110, refused("replay_gap"), { args });
    expect(lawsOf(asking(history(...without(4), trimmed(7)), gap))).toEqual([]);
    const above = { ...gap, args: { after: 7 } };
    expect(lawsOf(asking(history(...without(4), trimmed(7)), above))).toEqual([
      "refusals are justified",
    ]);
  });

  it.each([
    ["takes the server's own events", [...without(3), trimmed(7)]],
    ["takes what is above its floor", [...without(4), trimmed(5)]],
    ["reaches above its checkpoint", [...without(4), trimmed(7, 6)]],
    ["is not told of", without(4)],
  ])("that %s is found", (_, commits) => {
    expect(lawsOf(history(...commits))).toContain(TRIMS);
  });

  it("through which a reader falls is found", () => {
    const streams = [{ id: "late", after: 0, events: LOG.filter(({ seq }) => seq !== 7) }];
    expect(lawsOf({ ...history(...without(4), trimmed(7)), streams })).toEqual([
      "readers see the log",
    ]);
  });
});

describe("a job's events", () => {
  const job = {
    acknowledged: ["a", "b"],
    unknown: ["u", "never"],
    received: ["a", "b", "u"].map((mark, index) => ({ seq: index + 1, mark })),
  };
  const KEPT = "job events are kept once and in order";
  const history = (change: Partial<typeof job>, ...more: LoggedCommit[]): History => ({
    ...going(
      commit(1, reported(11, 1, "a"), reported(12, 2, "b")),
      commit(1, reported(13, 3, "u")),
      ...more,
    ),
    job: { ...job, ...change },
  });

  it("are passed if acknowledged ones are there once, in order, and are received so", () => {
    expect(check(history({}))).toEqual([]);
  });

  it.each<[string, History, string]>([
    ["lost", history({ acknowledged: ["a", "b", "c"] }), KEPT],
    ["in another order", history({ acknowledged: ["b", "a"] }), KEPT],
    ["of nobody", history({ unknown: [] }), KEPT],
    ["doubled", history({}, commit(1, reported(14, 4, "a"))), KEPT],
    ["received with a gap", history({ received: job.received.slice(1) }), "readers see the log"],
    ["received otherwise", history({ received: [{ seq: 1, mark: "b" }] }), "readers see the log"],
  ])("that are %s are found", (_, wrong, law) => {
    expect(lawsOf(wrong)).toEqual([law]);
  });
});

describe("a purge", () => {
  const purge = { rows: 0, files: 0, requests: [{ what: "get", status: 410 }] };

  it("is passed if nothing is left", () => {
    expect(check({ ...GOOD, purge })).toEqual([]);
  });

  it.each([{ rows: 1 }, { files: 1 }, { requests: [{ what: "get", status: 200 }] }])(
    "that leaves %j is found",
    (left) => {
      expect(lawsOf({ ...GOOD, purge: { ...purge, ...left } })).toEqual(["what is purged is gone"]);
    },
  );

  it("after which somebody is let in is found", () => {
    const done = operation("p", "purge", 1, 10, 100, ok(null));
    const late = reading("r", 120, 125, shownAt(6));
    const history = { ...asking(blind(GOOD), done, late) };
    expect(lawsOf(history)).toContain("the revoked are let in nowhere");
  });
});

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
