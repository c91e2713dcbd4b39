/** Long because each fault is planted into a history of its own, written out. */
import { describe, expect, it } from "vitest";
import { check } from "../support/torture/checker/check.ts";
import type { LoggedEvent } from "../support/torture/checker/history.ts";
import { checkJobStream } from "../support/torture/checker/job-stream.ts";
import {
  EXPIRES_AT,
  event,
  set,
  commit,
  COMMITS,
  LOG,
  shownAt,
  ok,
  operation,
  conflict,
  GOOD,
  rulesOf,
  withOperation,
  withCommits,
  asking,
  refused,
} from "../support/torture/planted.ts";

describe("a history that a correct server could have made", () => {
  it("is passed, with an unanswered write that happened and one that did not", () => {
    expect(check(GOOD)).toEqual([]);
  });

  it("is passed when an answer was replayed much later and shows what is there by then", () => {
    const late = { invoked: 30, responded: 95, clock: [30, 95] as const, hasLostAttempt: true };
    const outcome = { kind: "ok", commit: 5, replayed: true, shown: shownAt(6) } as const;
    expect(rulesOf(withOperation("m2", { ...late, outcome }))).toEqual([]);
  });

  it.each([
    ["a spent token", operation("x", "setFields", 1, 3, 60, refused("token_superseded"))],
    ["an append behind a resume", operation("x", "append", 2, 6, 80, refused("token_superseded"))],
    ["a right it lacks", operation("x", "finalize", 2, 8, 90, refused("scope_denied"))],
    [
      "a state it cannot leave so",
      operation("x", "finalize", 1, 5, 65, refused("illegal_transition", { from: "in_progress" })),
    ],
    [
      "a version that is not there any more",
      operation("x", "setFields", 2, 8, 78, refused("precondition_failed", { shown: shownAt(5) }), {
        ifMatch: 5,
      }),
    ],
    [
      "a time that is up",
      operation("x", "append", 1, 5, 90, refused("expired"), {
        clock: [EXPIRES_AT - 1, EXPIRES_AT],
      }),
    ],
  ])("is passed with a refusal of %s", (_, one) => {
    expect(rulesOf(asking(one))).toEqual([]);
  });

  it("is passed where a refused write had an attempt that came in after the refusal", () => {
    const outcome = refused("rate_limited");
    const history = withOperation("m7", { outcome, hasLostAttempt: true, responded: 99 });
    expect(rulesOf(history)).toEqual([]);
  });

  it("is passed where of two unanswered writes that look alike only one can have happened", () => {
    const stale = withOperation("m7", { mark: null, ifMatch: 5 });
    const operations = stale.operations.map((one) =>
      one.id === "m8" ? { ...one, mark: null } : one,
    );
    expect(rulesOf({ ...stale, operations })).toEqual([]);
  });

  it("is passed where that attempt also came in after what was asked later", () => {
    const early = { invoked: 61, responded: 65, clock: [61, 65] as const };
    const lost = { ...early, outcome: refused("rate_limited"), hasLostAttempt: true };
    expect(rulesOf(withOperation("m7", lost))).toEqual([]);
  });
});

describe("a planted fault is found:", () => {
  it("an acknowledged write that is lost", () => {
    expect(rulesOf(withOperation("m2", { outcome: ok(11) }))).toContain(
      "acknowledged writes are kept",
    );
    const without = { ...withCommits(COMMITS.slice(0, 6)), reads: [] };
    const told = { ...without, operations: withOperation("m7", { outcome: ok(10) }).operations };
    expect(rulesOf(told)).toEqual(["acknowledged writes are kept"]);
  });

  it("a write that stands at its place with another content", () => {
    expect(rulesOf(withOperation("m2", { mark: "other" }))).toContain(
      "acknowledged writes are kept",
    );
  });

  it("an acknowledged write that is there twice", () => {
    const again = commit(1, event(11, "agent.note", "in_progress", 10, { mark: "m5" }));
    expect(rulesOf(withCommits([...COMMITS, again]))).toEqual(["every write at most once"]);
  });

  it("an unanswered write that is there twice", () => {
    const again = commit(1, set(11, "m7", "m7"));
    expect(rulesOf(withCommits([...COMMITS, again]))).toContain("every write at most once");
  });

  it("a write that nobody asked for", () => {
    const stray = commit(2, event(11, "agent.note", "in_progress", 10, { mark: "stray" }));
    expect(rulesOf(withCommits([...COMMITS, stray]))).toEqual(["every write at most once"]);
  });

  it("a refused write that is in the log", () => {
    const history = withOperation("m7", {
      outcome: refused("precondition_failed", { shown: shownAt(5) }),
      hasLostAttempt: false,
      responded: 85,
    });
    expect(rulesOf(history)).toContain("every write at most once");
  });

  it("a write that got through and is refused when it is sent again", () => {
    const outcome = refused("token_superseded");
    const history = withOperation("m7", { outcome, hasLostAttempt: true, responded: 99 });
    expect(rulesOf(history)).toEqual(["refusals are justified"]);
  });

  it("a gap in the log", () => {
    const gap = COMMITS.map((one, index) =>
      index === 6 ? commit(1, { ...set(11, "m7", "m4") }) : one,
    );
    expect(rulesOf(withCommits(gap))).toContain("dense log");
  });

  it("a number that is given twice", () => {
    const double = commit(2, event(10, "agent.note", "in_progress", 10, { mark: "x" }));
    expect(rulesOf(withCommits([...COMMITS, double]))).toContain("dense log");
  });

  it("a stored session that is not the fold of its log", () => {
    for (const torn of [{ fields: { f: "m4" } }, { version: 6 }, { state: "draft" }, { head: 9 }]) {
      const history = { ...GOOD, stored: { ...shownAt(6), expiresAt: EXPIRES_AT, ...torn } };
      expect(rulesOf(history)).toEqual(["fold is the state"]);
    }
    expect(rulesOf({ ...GOOD, stored: { ...shownAt(6), expiresAt: 5 } })).toEqual([
      "fold is the state",
    ]);
  });

  it("a change from what was not there", () => {
    const torn = COMMITS.map((one, index) => (index === 3 ? commit(2, set(6, "m4", "m0")) : one));
    expect(rulesOf(withCommits(torn))).toContain("fold is the state");
  });

  it("a state shown that never was", () => {
    const half = { ...shownAt(3), fields: { f: "m2" } };
    expect(rulesOf(withOperation("m4", { outcome: ok(6, half) }))).toEqual(["no torn states"]);
    const inside = { ...shownAt(5), head: 8 };
    const read = {
      id: "r",
      participant: 1,
      invoked: 77,
      responded: 99,
      clock: [77, 99] as const,
      shown: inside,
    };
    expect(rulesOf({ ...GOOD, reads: [read] })).toEqual(["no torn states"]);
  });

  it("a read of what was over before it began", () => {
    const read = { id: "r", participant: 1, invoked: 77, responded: 79, clock: [77, 79] as const };
    expect(rulesOf({ ...GOOD, reads: [{ ...read, shown: shownAt(2) }] })).toEqual([
      "no stale reads",
    ]);
  });

  it("a read of what was not yet asked for", () => {
    const read = { id: "r", participant: 1, invoked: 36, responded: 39, clock: [36, 39] as const };
    expect(rulesOf({ ...GOOD, reads: [{ ...read, shown: shownAt(4) }] })).toEqual([
      "no stale reads",
    ]);
  });

  it("an answer that shows another write than its own", () => {
    const outcome = ok(5, shownAt(3));
    const history = withOperation("m2", { outcome, responded: 60 });
    expect(rulesOf(history)).toEqual(["an answer shows what it wrote"]);
  });

  it("two winners with one token", () => {
    expect(rulesOf(withOperation("m6", { token: 3 }))).toEqual(["a token is spent once"]);
  });

  it("one commit acknowledged to two", () => {
    const twin = operation("m2b", "setFields", 1, 3, 31, ok(5), { mark: null });
    expect(rulesOf(asking(twin))).toEqual(["one commit a write"]);
  });

  it("a write on top of what its participant had not seen", () => {
    expect(rulesOf(withOperation("m4", { ifMatch: null }))).toEqual(["versions are a chain"]);
    expect(rulesOf(withOperation("m4", { ifMatch: 1 }))).toEqual(["versions are a chain"]);
  });

  it("an operation that moves the version and should not, or does not and should", () => {
    const moving = COMMITS.map((one, index) =>
      index === 5
        ? commit(
            2,
            event(8, "token.accessed", "in_progress", 8, { mark: "m6" }),
            event(9, "token.issued", "in_progress", 8),
          )
        : one,
    );
    expect(rulesOf(withCommits(moving))).toContain("versions are a chain");
  });

  it("an order against real time", () => {
    const late = { invoked: 77, responded: 79, clock: [77, 79] as const };
    expect(rulesOf(withOperation("m5", late))).toContain("real time");
  });

  it.each([
    ["a conflict with the version it had seen", "m3", { ...conflict, shown: shownAt(1) }],
    [
      "a conflict that shows other events as missed",
      "m3",
      { ...conflict, missed: LOG.slice(2, 5) },
    ],
    ["a code that nothing explains", "m3", refused("token_invalid")],
  ])("%s", (_, id, outcome) => {
    expect(rulesOf(withOperation(id, { outcome }))).toContain("refusals are justified");
  });

  it.each([
    ["superseded", operation("x", "setFields", 2, 8, 90, refused("token_superseded"))],
    ["fenced", operation("x", "append", 1, 3, 90, refused("token_superseded"))],
    ["lacking a scope", operation("x", "setFields", 2, 8, 90, refused("scope_denied"))],
    ["paused", operation("x", "resume", 2, 8, 90, refused("paused"), { auto: true })],
    ["expired", operation("x", "append", 1, 5, 90, refused("expired"))],
    [
      "in a state that allows it",
      operation("x", "setFields", 1, 5, 65, refused("illegal_transition", { from: "in_progress" })),
    ],
    [
      "in a state that it never was in",
      operation("x", "setFields", 1, 5, 65, refused("illegal_transition", { from: "submitted" })),
    ],
    [
      "not at the version it is at",
      operation("x", "setFields", 2, 8, 78, refused("precondition_failed", { shown: shownAt(5) }), {
        ifMatch: 6,
      }),
    ],
  ])("a refusal as %s without reason", (_, one) => {
    expect(rulesOf(asking(one))).toEqual(["refusals are justified"]);
  });

  it("a write or a read let in after the time was up", () => {
    const clock = [EXPIRES_AT, EXPIRES_AT + 5] as const;
    expect(rulesOf(withOperation("m6", { clock }))).toEqual(["expired is over at once"]);
    const read = { id: "r", participant: 1, invoked: 77, responded: 99, clock, shown: shownAt(6) };
    expect(rulesOf({ ...GOOD, reads: [read] })).toEqual(["expired is over at once"]);
  });

  it("something after the end", () => {
    const ended = commit(null, event(11, "session.expired", "expired", 11));
    const again = commit(null, event(12, "session.expired", "expired", 12));
    expect(rulesOf(withCommits([...COMMITS, ended]))).toEqual([]);
    expect(rulesOf(withCommits([...COMMITS, ended, again]))).toEqual(["nothing after the end"]);
  });

  it.each([
    ["misses an event", [...LOG.slice(0, 4), ...LOG.slice(5)]],
    ["gets an event twice", [...LOG.slice(0, 5), ...LOG.slice(4)]],
    ["gets events out of order", [...LOG.slice(0, 4), LOG[5], LOG[4], ...LOG.slice(6)]],
    ["gets what the log does not have", [...LOG, event(11, "agent.note", "in_progress", 10)]],
    ["gets another event", LOG.map((one) => (one.seq === 7 ? { ...one, payload: {} } : one))],
  ])("a reader that %s", (_, events) => {
    const stream = { id: "socket", after: 0, events: events as LoggedEvent[] };
    expect(rulesOf({ ...GOOD, streams: [stream] })).toEqual(["readers see the log"]);
  });
});

const said = (seq: number, eventSeq: number, message: string): LoggedEvent =>
  event(seq, "job.event", "draft", 1, { eventSeq, kind: "log", body: { message } });

describe("a job's events", () => {
  const commits = [commit(1, said(1, 1, "a"), said(2, 2, "b")), commit(1, said(3, 3, "u"))];
  const taken = [
    { seq: 1, mark: "a" },
    { seq: 2, mark: "b" },
    { seq: 3, mark: "u" },
  ];
  const good = { acknowledged: ["a", "b"], unknown: ["u", "never"], taken, commits };
  const rules = (change: Partial<typeof good>) =>
    checkJobStream({ ...good, ...change }).map(({ rule }) => rule);

  it("are passed when acknowledged ones are there once, in order, and taken so", () => {
    expect(checkJobStream(good)).toEqual([]);
  });

  it("that are lost, doubled, strange, or taken otherwise are found", () => {
    expect(rules({ acknowledged: ["a", "b", "c"] })).toEqual(["acknowledged writes are kept"]);
    expect(rules({ acknowledged: ["b", "a"] })).toEqual(["acknowledged writes are kept"]);
    expect(rules({ unknown: [] })).toEqual(["every write at most once"]);
    const twice = [...commits, commit(1, said(4, 4, "a"))];
    expect(rules({ commits: twice })).toContain("every write at most once");
    expect(rules({ taken: taken.slice(1) })).toEqual(["readers see the log"]);
    expect(rules({ taken: [{ seq: 1, mark: "b" }] })).toEqual(["readers see the log"]);
  });
});
