/** Long because each fault of links, files, forks, revocations, trims and purges is planted on its own. */
import { describe, expect, it } from "vitest";
import { check } from "../support/torture/checker/check.ts";
import type {
  LoggedCommit,
  LoggedEvent,
  Put,
  SessionHistory,
} from "../support/torture/checker/history.ts";
import { checkPurged } from "../support/torture/checker/purged.ts";
import { foldAll } from "../support/torture/checker/plain-fold.ts";
import {
  asking,
  commit,
  COMMITS,
  event,
  EXPIRES_AT,
  GOOD,
  ok,
  operation,
  refused,
  rulesOf,
  withCommits,
} from "../support/torture/planted.ts";

const STATE = "in_progress";
const SENT = "a".repeat(64);
const OTHER = "b".repeat(64);

/** Goes on where the good history ends, at seq 10 and version 10, by participant 1. */
const going = (...more: LoggedCommit[]): SessionHistory => withCommits([...COMMITS, ...more]);
const plain = (seq: number, type: string, payload: LoggedEvent["payload"] = {}): LoggedEvent =>
  event(seq, type, STATE, 10, payload);
const moving = (seq: number, type: string, payload: LoggedEvent["payload"] = {}): LoggedEvent =>
  event(seq, type, STATE, seq, payload);
/** By operations that ask for what is there: who made which commit is not what is tried here. */
const asked = (history: SessionHistory, ...more: SessionHistory["operations"]): SessionHistory => ({
  ...history,
  operations: [...history.operations, ...more],
});

const press = (
  id: string,
  invoked: number,
  outcome: SessionHistory["operations"][number]["outcome"],
) => operation(id, "openLink", 5, 0, invoked, outcome);

const put = (sha256: string, invoked: number, more: Partial<Put> = {}): Put => ({
  id: sha256.slice(0, 4),
  upload: "upl_1",
  sha256,
  invoked,
  responded: invoked + 5,
  clock: [invoked, invoked + 5],
  outcome: "ok",
  ...more,
});

const kept = (sha256: string | null) => ({ kept: [{ upload: "upl_1", sha256 }] });

const trimmed = (floor: number, seq = 7) =>
  commit(
    1,
    plain(11, "session.trimmed", {
      floor,
      checkpoint: { id: "chk_1", seq },
      outcome: "success",
    }),
  );

const without = (index: number): readonly LoggedCommit[] =>
  COMMITS.map((one, place) => (place === index ? { ...one, isTrimmed: true } : one));

const REVOKED = going(commit(1, plain(11, "handoff.revoked", { participants: ["par_2"] })));
const revoke = operation("x", "revoke", 1, 10, 100, ok(11), { mark: null });

describe("a revocation", () => {
  const history = asked(REVOKED, revoke);

  it("is passed with those it concerns turned away", () => {
    const late = operation("y", "append", 2, 8, 110, refused("token_invalid"));
    const look = operation("z", "get", 2, 8, 110, refused("token_invalid"));
    expect(check(asked(history, late, look))).toEqual([]);
  });

  it("that turns away others is found", () => {
    const other = operation("y", "append", 1, 10, 110, refused("token_invalid"));
    expect(rulesOf(asked(history, other))).toEqual(["refusals are justified"]);
  });

  it("that turns away before it was asked for is found", () => {
    const early = operation("y", "append", 2, 8, 85, refused("token_invalid"));
    expect(rulesOf(asked(history, early))).toEqual(["refusals are justified"]);
  });

  it("after which one goes on writing is found", () => {
    const more = commit(2, plain(12, "agent.note", { mark: "y" }));
    const late = asked(
      withCommits([...REVOKED.commits, more]),
      revoke,
      operation("y", "append", 2, 8, 110, ok(12)),
    );
    expect(rulesOf(late)).toEqual(["the revoked are let in nowhere"]);
  });

  it("after which one is shown the session is found, also where its maker was revoked", () => {
    const { states } = foldAll(REVOKED.commits);
    const shown = states.at(-1) as (typeof states)[number];
    const read = { id: "r", invoked: 110, responded: 111, clock: [110, 111] as const, shown };
    const reads = [{ ...read, participant: 2 }];
    expect(rulesOf({ ...history, reads })).toEqual(["the revoked are let in nowhere"]);
    expect(rulesOf({ ...history, reads: [{ ...read, participant: 1 }] })).toEqual([]);
    const brought = event(3, "handoff.created", "draft", 1, {
      participant: "par_3",
      madeBy: "par_2",
      note: "m1",
    });
    const [first, made, ...rest] = REVOKED.commits as [LoggedCommit, LoggedCommit];
    const commits = [first, { ...made, events: [brought, ...made.events.slice(1)] }, ...rest];
    expect(rulesOf({ ...history, commits, reads: [{ ...read, participant: 3 }] })).toContain(
      "the revoked are let in nowhere",
    );
  });
});

describe("a link", () => {
  const issued = commit(
    1,
    plain(11, "handoff.link_issued", {
      participant: "par_5",
      to: "human",
      singleUse: true,
      note: "l",
    }),
  );
  const opened = (seq: number, mark: string) =>
    commit(
      5,
      plain(seq, "handoff.opened", { participant: "par_5", mark }),
      plain(seq + 1, "token.accessed"),
    );
  const link = operation("l", "link", 1, 10, 100, ok(11));
  const found = { ...ok(0), commit: null } as const;

  it("is passed where one opens it and another finds it used", () => {
    const history = asked(
      going(issued, opened(12, "a")),
      link,
      press("a", 110, found),
      press("b", 110, refused("link_over")),
    );
    expect(check(history)).toEqual([]);
  });

  it("that opens twice is found", () => {
    const twice = going(issued, opened(12, "a"), opened(14, "b"));
    const history = asked(twice, link, press("a", 110, found), press("b", 120, found));
    expect(rulesOf(history)).toEqual(["a link opens once"]);
  });

  it("whose opening is acknowledged and not kept is found", () => {
    const history = asked(going(issued), link, press("a", 110, found));
    expect(rulesOf(history)).toEqual(["acknowledged writes are kept"]);
  });

  it.each(["link_unknown", "link_over"])("that nothing closed and that is %s is found", (code) => {
    const history = asked(going(issued), link, press("a", 110, refused(code)));
    expect(rulesOf(history)).toEqual(["refusals are justified"]);
  });
});

describe("a file", () => {
  const announced = commit(1, moving(11, "upload.requested", { upload: "upl_1", name: "u" }));
  const confirmed = (sha256: string) =>
    commit(1, moving(12, "upload.confirmed", { upload: "upl_1", sha256 }));
  const operations = [
    operation("u", "requestUpload", 1, 10, 100, ok(11), { ifMatch: 10 }),
    operation("upl_1", "confirmUpload", 1, 11, 130, ok(12)),
  ];
  const history = (puts: readonly Put[], sha256 = SENT): SessionHistory => ({
    ...asked(going(announced, confirmed(sha256)), ...operations),
    puts,
  });

  it("is passed where it is the last that was sent, and is there", () => {
    expect(check({ ...history([put(OTHER, 110), put(SENT, 120)]), ...kept(SENT) })).toEqual([]);
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
    expect(rulesOf(history(puts))).toEqual(["confirmed files are those that were sent"]);
  });

  it.each([null, OTHER])("that is %s in the end is found", (sha256) => {
    const lost = { ...history([put(SENT, 110)]), ...kept(sha256) };
    expect(rulesOf(lost)).toEqual(["confirmed files are those that were sent"]);
  });

  it("that was removed and is still there is found", () => {
    const removed = commit(1, moving(13, "upload.removed", { upload: "upl_1" }));
    const remove = operation("upl_1", "removeUpload", 1, 12, 140, ok(13));
    const after = {
      ...asked(going(announced, confirmed(SENT), removed), ...operations, remove),
      puts: [put(SENT, 110)],
    };
    expect(check({ ...after, ...kept(null) })).toEqual([]);
    expect(rulesOf({ ...after, ...kept(SENT) })).toHaveLength(1);
  });

  it("that arrived and cannot be confirmed is found", () => {
    const refusing = operation("y", "confirmUpload", 1, 11, 130, refused("invalid_request"), {
      upload: "upl_1",
    });
    const arrived = { ...asked(going(announced), operations[0] as never, refusing) };
    expect(check({ ...arrived, puts: [] })).toEqual([]);
    expect(rulesOf({ ...arrived, puts: [put(SENT, 110)] })).toEqual(["refusals are justified"]);
  });
});

describe("a fork", () => {
  const forked = commit(1, plain(11, "session.forked", { child: "ses_c", reason: "x" }));
  const history = asked(going(forked), operation("x", "fork", 1, 10, 100, ok(11)));
  const before = foldAll(COMMITS).states.at(-1) as {
    title: string;
    fields: Record<string, unknown>;
  };
  const { title, fields } = before;
  const child = { id: "ses_c", stored: { title, fields }, status: 200 };

  it("is passed where its child began as it was, also after the end", () => {
    expect(check({ ...history, children: [child] })).toEqual([]);
    const end = commit(null, event(11, "session.expired", "expired", 11));
    const late = commit(1, event(12, "session.forked", "expired", 11, { child: "ses_c" }));
    const dead = { ...withCommits([...COMMITS, end, late]), children: [child] };
    expect(rulesOf(dead)).not.toContain("nothing after the end");
  });

  it.each([
    ["that is not there", { ...child, stored: null }],
    ["that began otherwise", { ...child, stored: { title, fields: { f: "m4" } } }],
    ["whose token opens nothing", { ...child, status: 403 }],
  ])("with a child %s is found", (_, wrong) => {
    expect(rulesOf({ ...history, children: [wrong] })).toEqual(["forks have their children"]);
  });
});

describe("a trim", () => {
  const trim = operation("chk_1", "trim", 1, 10, 100, ok(11));
  const history = (commits: readonly LoggedCommit[]) =>
    asked(withCommits([...commits]), { ...trim, mark: null });

  it("is passed where it takes an append below its floor, and later readers are told of the gap", () => {
    const gap = operation("y", "events", 2, 8, 110, refused("replay_gap"), { after: 3 });
    expect(check(asked(history([...without(4), trimmed(7)]), gap))).toEqual([]);
  });

  it.each([
    ["takes the server's own events", history([...without(3), trimmed(7)])],
    ["takes what is above its floor", history([...without(4), trimmed(5)])],
    ["reaches above its checkpoint", history([...without(4), trimmed(7, 6)])],
    ["is not told of", withCommits([...without(4)])],
  ])("that %s is found", (_, wrong) => {
    expect(rulesOf(wrong)).toContain("a trim takes only what may go");
  });

  it("that is given as the reason for what it did not take is found", () => {
    const gap = operation("y", "events", 2, 8, 110, refused("replay_gap"), { after: 7 });
    expect(rulesOf(asked(history([...without(4), trimmed(7)]), gap))).toEqual([
      "refusals are justified",
    ]);
  });

  it("through which a reader falls is found", () => {
    const events = GOOD.commits.flatMap((one) => one.events).filter(({ seq }) => seq !== 7);
    const streams = [{ id: "late", after: 0, events }];
    expect(rulesOf({ ...history([...without(4), trimmed(7)]), streams })).toEqual([
      "readers see the log",
    ]);
  });
});

describe("a purge", () => {
  const gone = { rows: 0, files: 0, asked: [{ what: "get", status: 410 }] };

  it("is passed where nothing is left", () => {
    expect(checkPurged(gone)).toEqual([]);
  });

  it.each([{ rows: 1 }, { files: 1 }, { asked: [{ what: "get", status: 200 }] }])(
    "that leaves %j is found",
    (left) => {
      expect(checkPurged({ ...gone, ...left }).map(({ rule }) => rule)).toEqual([
        "what is purged is gone",
      ]);
    },
  );
});

describe("an answer to one who may look", () => {
  it("is not taken for expired before its time", () => {
    const early = operation("y", "get", 2, 8, 90, refused("expired"));
    expect(rulesOf(asking(early))).toEqual(["refusals are justified"]);
    const clock = [EXPIRES_AT, EXPIRES_AT] as const;
    expect(rulesOf(asking({ ...early, clock }))).toEqual([]);
  });
});
