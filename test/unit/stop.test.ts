/** The decision after a stop: the decision table, backoff, hints and the loop breaker. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs } from "../../src/domain/backoff";
import { LIMITS } from "../../src/domain/limits";
import { policyOf, STOP_REASONS, type PolicyChoice } from "../../src/domain/stops/policy";
import type { Session } from "../../src/domain/session/session";
import { decideStop, retryAfterMsOf, type StopReport } from "../../src/domain/stops/stop";
import { NOW, sessionWith } from "./domain/sample";

const EVEN = 0.5;
const MINUTE_MS = 60_000;

interface Situation {
  readonly policy?: PolicyChoice;
  readonly paused?: boolean;
  readonly automation?: Partial<Session["automation"]>;
  readonly hasResumed?: boolean;
  readonly dice?: number;
}

function decide(report: Partial<StopReport>, situation: Situation = {}) {
  const { policy = null, paused = false, automation = {}, hasResumed = false } = situation;
  const plain = sessionWith();
  const session = { ...plain, policy, paused, automation: { ...plain.automation, ...automation } };
  const context = { session, hasResumed, now: NOW, dice: situation.dice ?? EVEN };
  return decideStop({ reason: "crash", attempt: 1, ...report }, context);
}

const summary = (report: Partial<StopReport>, situation?: Situation) => {
  const { strategy, waitMs, attempt } = decide(report, situation).decision;
  return [strategy, waitMs, attempt];
};

const NOTHING = ["none", 0, null] as const;
const FRESH = ["new_session", 0, 1] as const;
const retry = (waitMs: number, attempt: number) => ["same_session", waitMs, attempt] as const;

/** With the random number `EVEN`, jitter adds nothing to a backoff and half its share to a hint. */
const TABLE = {
  rate_limit: {
    plain: retry(30_000, 2),
    second: retry(60_000, 3),
    fourth: retry(240_000, 5),
    last: NOTHING,
    hinted: retry(10_500, 2),
    dated: retry(126_000, 2),
    paused: NOTHING,
    suspended: NOTHING,
  },
  crash: {
    plain: retry(30_000, 2),
    second: retry(60_000, 3),
    fourth: retry(240_000, 5),
    last: NOTHING,
    hinted: retry(10_500, 2),
    dated: retry(126_000, 2),
    paused: NOTHING,
    suspended: NOTHING,
  },
  network: {
    plain: retry(30_000, 2),
    second: retry(60_000, 3),
    fourth: retry(240_000, 5),
    last: NOTHING,
    hinted: retry(10_500, 2),
    dated: retry(126_000, 2),
    paused: NOTHING,
    suspended: NOTHING,
  },
  timeout: {
    plain: retry(30_000, 2),
    second: retry(60_000, 3),
    fourth: retry(240_000, 5),
    last: NOTHING,
    hinted: retry(10_500, 2),
    dated: retry(126_000, 2),
    paused: NOTHING,
    suspended: NOTHING,
  },
  context_exhausted: {
    plain: FRESH,
    second: FRESH,
    fourth: FRESH,
    last: FRESH,
    hinted: FRESH,
    dated: FRESH,
    paused: NOTHING,
    suspended: NOTHING,
  },
  user_exit: {
    plain: NOTHING,
    second: NOTHING,
    fourth: NOTHING,
    last: NOTHING,
    hinted: NOTHING,
    dated: NOTHING,
    paused: NOTHING,
    suspended: NOTHING,
  },
  completed: {
    plain: NOTHING,
    second: NOTHING,
    fourth: NOTHING,
    last: NOTHING,
    hinted: NOTHING,
    dated: NOTHING,
    paused: NOTHING,
    suspended: NOTHING,
  },
  unknown: {
    plain: NOTHING,
    second: NOTHING,
    fourth: NOTHING,
    last: NOTHING,
    hinted: NOTHING,
    dated: NOTHING,
    paused: NOTHING,
    suspended: NOTHING,
  },
} as const;

const SITUATIONS = {
  plain: [{}, {}],
  second: [{ attempt: 2 }, {}],
  fourth: [{ attempt: 4 }, {}],
  last: [{ attempt: 5 }, {}],
  hinted: [{ retryAfterMs: 10_000 }, {}],
  dated: [{ retryAfter: new Date(NOW + 2 * MINUTE_MS).toUTCString() }, {}],
  paused: [{}, { paused: true }],
  suspended: [{}, { automation: { suspended: true } }],
} as const;

describe("the decision table", () => {
  const rows = STOP_REASONS.flatMap((reason) =>
    (Object.keys(SITUATIONS) as (keyof typeof SITUATIONS)[]).map((situation) => ({
      reason,
      situation,
      expected: TABLE[reason][situation],
    })),
  );

  // Shows A-2.
  it.each(rows)("$reason, $situation: $expected", ({ reason, situation, expected }) => {
    const [report, circumstances] = SITUATIONS[situation];
    expect(summary({ reason, ...report }, circumstances)).toEqual(expected);
  });

  it("gives a reason, and the time both as a wait and as a date", () => {
    for (const { reason, situation } of rows) {
      const [report, circumstances] = SITUATIONS[situation];
      const { strategy, resumeAt, waitMs, why } = decide(
        { reason, ...report },
        circumstances,
      ).decision;
      expect(why).not.toBe("");
      expect(resumeAt).toBe(strategy === "none" ? null : new Date(NOW + waitMs).toISOString());
    }
  });
});

describe("a policy", () => {
  // Shows A-2.
  it("replaces any strategy by any other", () => {
    for (const reason of STOP_REASONS) {
      expect(summary({ reason }, { policy: { strategies: { [reason]: "none" } } })).toEqual(
        NOTHING,
      );
      expect(summary({ reason }, { policy: { strategies: { [reason]: "new_session" } } })).toEqual(
        FRESH,
      );
      expect(summary({ reason }, { policy: { strategies: { [reason]: "same_session" } } })).toEqual(
        retry(30_000, 2),
      );
    }
  });

  it.each([
    [{ baseMs: 1_000 }, {}, retry(1_000, 2)],
    [{ baseMs: 1_000 }, { attempt: 3 }, retry(4_000, 4)],
    [{ maxMs: 5_000 }, {}, retry(5_000, 2)],
    [{ maxAttempts: 1 }, {}, NOTHING],
    [{ maxAttempts: 9 }, { attempt: 8 }, retry(300_000, 9)],
    [{ jitter: 0 }, { retryAfterMs: 10_000 }, retry(10_000, 2)],
    [{ jitter: 1 }, { retryAfterMs: 10_000 }, retry(15_000, 2)],
  ] as const)("%j with %j", (policy, report, expected) => {
    expect(summary(report, { policy })).toEqual(expected);
  });

  it("that leaves a member out keeps its default", () => {
    const { breaker, strategies, ...rest } = policyOf({
      breaker: { failures: 7 },
      jitter: undefined,
    });
    expect(breaker).toEqual({ failures: 7, windowMs: 300_000 });
    expect(rest).toEqual({
      baseMs: 30_000,
      maxMs: 300_000,
      maxAttempts: 5,
      jitter: 0.1,
      keepCheckpoints: 10,
      strictCheckpoints: false,
    });
    expect(strategies).toEqual(policyOf(null).strategies);
  });
});

/** mulberry32: the same numbers every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("backoff", () => {
  // Shows A-3.
  it("with a seeded generator follows the formula, wait by wait", () => {
    const [throws, rolls] = [seeded(42), seeded(42)];
    const waits = [1, 2, 3, 4].map((attempt) => summary({ attempt }, { dice: throws() })[1]);
    const formula = [30_000, 60_000, 120_000, 240_000].map((wait) =>
      Math.min(Math.round(wait * (0.9 + 0.2 * rolls())), 300_000),
    );
    expect(waits).toEqual(formula);
    expect(new Set(waits.map((wait, index) => Number(wait) / 2 ** index)).size).toBe(4);
  });

  // Shows A-3.
  it("stays within its jitter and is never above its maximum, also after jitter", () => {
    const policy = { baseMs: 30_000, maxMs: 300_000, jitter: 0.1 };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, dice) => {
          const plain = Math.min(30_000 * 2 ** (attempt - 1), 300_000);
          const wait = backoffMs(policy, attempt, dice);
          expect(wait).toBeGreaterThanOrEqual(Math.floor(plain * 0.9));
          expect(wait).toBeLessThanOrEqual(Math.min(Math.ceil(plain * 1.1), 300_000));
        },
      ),
    );
    expect(backoffMs(policy, 9, 0.999)).toBe(300_000);
    expect(backoffMs(policy, 9, 0)).toBe(270_000);
  });
});

describe("a hint", () => {
  // Shows A-4.
  it("is never undercut, and never exceeded by more than its jitter, whatever the policy", () => {
    const policies = fc.record(
      {
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
        baseMs: fc.integer({ min: 1, max: LIMITS.retryAfterMs }),
        maxMs: fc.integer({ min: 1, max: LIMITS.retryAfterMs }),
      },
      { requiredKeys: [] },
    );
    const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(LIMITS.retryAfterMs), policies, dice, (retryAfterMs, policy, dice) => {
        const { decision } = decide({ reason: "rate_limit", retryAfterMs }, { policy, dice });
        const { jitter = 0.1 } = policy;
        expect(decision.waitMs).toBeGreaterThanOrEqual(retryAfterMs);
        expect(decision.waitMs).toBeLessThanOrEqual(Math.ceil(retryAfterMs * (1 + jitter)) + 1);
        expect(Date.parse(decision.resumeAt ?? "")).toBe(NOW + decision.waitMs);
      }),
    );
  });

  it.each([
    ["0", 0],
    ["120", 120_000],
    ["999999999", 999_999_999_000],
    ["Sun, 01 Mar 2026 00:02:00 GMT", 120_000],
    ["Sunday, 01-Mar-26 00:02:00 GMT", 120_000],
    ["Sun Mar  1 00:02:00 2026", 120_000],
    ["Sat, 28 Feb 2026 23:59:00 GMT", 0],
    ["1.5", null],
    ["-3", null],
    ["", null],
    ["soon", null],
    ["2026-03-01", null],
    ["1234567890", null],
    ["Mon, whenever", null],
  ])("as header %j means %s", (value, expected) => {
    expect(retryAfterMsOf(value, NOW)).toBe(expected);
  });
});

const ago = (...minutes: readonly number[]) => minutes.map((one) => NOW - one * MINUTE_MS);
const typesOf = (report: Partial<StopReport>, situation: Situation) =>
  decide(report, situation).events.map(({ type }) => type);

describe("the loop breaker", () => {
  it.each([
    ["the third failed resume in five minutes opens it", { attempt: 2 }, ago(4, 2), true],
    ["the second does not", { attempt: 2 }, ago(2), false],
    ["one that is too long ago does not count", { attempt: 2 }, ago(5, 2), false],
    ["a first attempt is no failed resume", { attempt: 1 }, ago(4, 2), false],
    ["a full context is no failure", { reason: "context_exhausted", attempt: 2 }, ago(4, 2), false],
    ["nor is a user who leaves", { reason: "user_exit", attempt: 2 }, ago(4, 2), false],
    ["nor finished work", { reason: "completed", attempt: 2 }, ago(4, 2), false],
    ["an unknown stop is one", { reason: "unknown", attempt: 2 }, ago(4, 2), true],
  ] as const)("%s", (_, report, failures, opens) => {
    const types = typesOf(report, { automation: { failures } });
    expect(types).toEqual(opens ? ["stop.reported", "resume.suspended"] : ["stop.reported"]);
  });

  // Shows A-7.
  it("counts a first attempt if the agent resumed since its last stop", () => {
    const situation = { automation: { failures: ago(4, 2) }, hasResumed: true };
    expect(typesOf({ attempt: 1 }, situation)).toContain("resume.suspended");
  });

  // Shows A-7.
  it("opens once: later failures are recorded, and the decision is to do nothing", () => {
    const automation = { failures: ago(3, 2, 1), suspended: true };
    expect(typesOf({ attempt: 4 }, { automation })).toEqual(["stop.reported"]);
    expect(summary({ attempt: 4 }, { automation })).toEqual(NOTHING);
  });

  it("opens after the number of failures that the policy sets", () => {
    const policy = { breaker: { failures: 1, windowMs: 1 } };
    expect(typesOf({ attempt: 2 }, { policy })).toContain("resume.suspended");
    const long = { policy: { breaker: { windowMs: 60 * MINUTE_MS } } };
    expect(typesOf({ attempt: 2 }, { ...long, automation: { failures: ago(50, 40) } })).toContain(
      "resume.suspended",
    );
  });
});
