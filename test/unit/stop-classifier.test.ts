import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { STOP_REASONS } from "../../src/domain/stops/policy";
import { classifyStop } from "../../src/cli/stop-classifier";
import { EXIT_CASES } from "./stop-corpus/exits";
import { FAILURE_CASES } from "./stop-corpus/failures";
import { LIMIT_CASES } from "./stop-corpus/limits";

const CORPUS = [...LIMIT_CASES, ...FAILURE_CASES, ...EXIT_CASES];
const RATE_LIMITED = "ERROR 429 Too Many Requests, please try again in 20s";

describe("the corpus", () => {
  it("has at least forty tails and every reason among them", () => {
    expect(new Set(CORPUS.map(({ tail }) => tail)).size).toBeGreaterThanOrEqual(40);
    expect(new Set(CORPUS.map(({ reason }) => reason))).toEqual(new Set(STOP_REASONS));
  });

  it.each(CORPUS)("$name is $reason", (one) => {
    const found = classifyStop(one);
    expect(found.reason, found.evidence).toBe(one.reason);
    expect(found.retryAfterMs).toBe(one.retryAfterMs);
    expect(found.evidence).not.toBe("");
  });

  it.each(CORPUS)("$name is the same by lines, with colours and Windows line ends", (one) => {
    const plain = classifyStop(one);
    const coloured = one.tail
      .replaceAll(/^(?=.)/gm, "\u001B[31m")
      .replaceAll("\n", "\u001B[0m\r\n");
    expect(classifyStop({ ...one, tail: one.tail.split("\n") })).toEqual(plain);
    expect(classifyStop({ ...one, tail: coloured })).toEqual(plain);
  });

  it.each(CORPUS)("$name is the same however long the log before it is", (one) => {
    const before = `INFO wrote a file\n`.repeat(20_000);
    expect(classifyStop({ ...one, tail: before + one.tail })).toEqual(classifyStop(one));
  });
});

describe("structured signals", () => {
  it.each([
    [{ httpStatus: 429 }, "rate_limit"],
    [{ httpStatus: 529 }, "rate_limit"],
    [{ httpStatus: 503 }, "network"],
    [{ httpStatus: 500 }, "network"],
    [{ httpStatus: 408 }, "timeout"],
    [{ errorType: "Rate-Limit-Error" }, "rate_limit"],
    [{ errorType: "context_length_exceeded", httpStatus: 400 }, "context_exhausted"],
    [{ errorType: "ETIMEDOUT" }, "timeout"],
    [{ finishReason: "stop" }, "completed"],
    [{ finishReason: "length" }, "context_exhausted"],
    [{ signal: "SIGINT" }, "user_exit"],
    [{ signal: "SIGTERM" }, "user_exit"],
    [{ signal: "SIGKILL" }, "crash"],
  ] as const)("%j outrank any text", (signals, reason) => {
    for (const tail of [
      RATE_LIMITED,
      "Segmentation fault",
      "Task completed",
      "KeyboardInterrupt",
    ]) {
      expect(classifyStop({ tail, signals }).reason).toBe(reason);
    }
  });

  it("that are unknown are ignored: the exit code decides, then the text", () => {
    const signals = {
      errorType: "odd_error",
      finishReason: "odd",
      signal: "SIGODD",
      httpStatus: 400,
    };
    expect(classifyStop({ tail: RATE_LIMITED, signals, exitCode: 130 }).reason).toBe("user_exit");
    expect(classifyStop({ tail: RATE_LIMITED, signals, exitCode: 1 }).reason).toBe("rate_limit");
    expect(classifyStop({ tail: RATE_LIMITED, signals }).reason).toBe("rate_limit");
  });

  it("give more confidence than text, and text near the end more than text above", () => {
    const tail = [RATE_LIMITED, ...Array<string>(20).fill("INFO cleaning up")];
    const [byStatus, near, above] = [
      classifyStop({ tail: "", signals: { httpStatus: 429 } }),
      classifyStop({ tail: tail.slice(0, 3) }),
      classifyStop({ tail }),
    ].map(({ confidence }) => confidence);
    expect(byStatus).toBeGreaterThan(near ?? 1);
    expect(near).toBeGreaterThan(above ?? 1);
  });

  it("outrank text: a failed program that claimed to be done has crashed", () => {
    expect(classifyStop({ tail: "Task completed", exitCode: 1 }).reason).toBe("crash");
    expect(classifyStop({ tail: "Task completed" }).reason).toBe("completed");
  });
});

describe("a hint to wait", () => {
  it.each([
    ["retry-after: 30", 30_000],
    ["Retry-After: 1.5", 1_500],
    ['"retry_after": 2.0001', 2_001],
    ["retry_after_ms=750", 750],
    ["try again in 20s", 20_000],
    ["try again in 6m0.5s", 360_500],
    ["try again in 350ms", 350],
    ["Please retry after 45 seconds", 45_000],
    ["retry in about 2 minutes", 120_000],
    ["limit resets in 1 hour and 5 minutes", 3_900_000],
    ["retry after 999999999 days", LIMITS.retryAfterMs],
    ["retry after a while", undefined],
    ["retry later", undefined],
  ])("as %s is understood", (hint, expected) => {
    expect(classifyStop({ tail: `429 Too Many Requests: ${hint}` }).retryAfterMs).toBe(expected);
  });

  it("is the last one in the text, unless a header has one", () => {
    const tail = "429 Too Many Requests, retry in 5s\n429 Too Many Requests, retry in 10s";
    expect(classifyStop({ tail }).retryAfterMs).toBe(10_000);
    const signals = { httpStatus: 429, retryAfter: "60" };
    expect(classifyStop({ tail, signals }).retryAfterMs).toBe(60_000);
  });

  it("is never shorter than what a header requests", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (retryAfterMs) => {
        const signals = { httpStatus: 429, retryAfterMs };
        const hint = classifyStop({ tail: RATE_LIMITED, signals }).retryAfterMs ?? -1;
        expect(hint).toBeGreaterThanOrEqual(Math.min(retryAfterMs, LIMITS.retryAfterMs));
        expect(Number.isInteger(hint)).toBe(true);
      }),
    );
  });

  it("is given only for a reason that passes with time", () => {
    const signals = { signal: "SIGINT", retryAfterMs: 5_000 };
    expect(classifyStop({ tail: RATE_LIMITED, signals })).not.toHaveProperty("retryAfterMs");
  });
});

describe("evidence", () => {
  it("shows no secret of the line", () => {
    const secrets = ["rtok", "jtok", "sk"].map((prefix) => `${prefix}_${"Ab3-".repeat(12)}`);
    for (const secret of [...secrets, `Bearer ${"x".repeat(40)}`, `api_key=${"k".repeat(20)}`]) {
      const { evidence } = classifyStop({ tail: `429 Too Many Requests for ${secret}, sorry` });
      expect(evidence).toContain("[secret], sorry");
      expect(evidence).not.toContain(secret.slice(-12));
    }
  });

  it("is short whatever the line", () => {
    const { evidence } = classifyStop({ tail: `429 Too Many Requests ${"x".repeat(1e6)}` });
    expect(evidence.length).toBeLessThanOrEqual(220);
  });
});

describe("any input", () => {
  const odd = fc.string({ unit: "binary", maxLength: 400 });

  it("gets a bounded result", () => {
    fc.assert(
      fc.property(
        fc.oneof(odd, fc.array(odd, { maxLength: 30 })),
        fc.option(fc.integer(), { nil: undefined }),
        fc.record(
          { errorType: odd, finishReason: odd, signal: odd, retryAfter: odd },
          { requiredKeys: [] },
        ),
        (tail, exitCode, signals) => {
          const { reason, confidence, evidence } = classifyStop({ tail, exitCode, signals });
          expect(STOP_REASONS).toContain(reason);
          expect(confidence).toBeGreaterThan(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(evidence.length).toBeLessThanOrEqual(220);
        },
      ),
    );
  });

  it.each([
    "a",
    " ",
    "[",
    "-",
    "1",
    '"',
    "\n",
    "\r",
    "\u001B[",
    "retry after ",
    "api_key=",
    "Bearer ",
  ])("of millions of %j is read only at its end", (unit) => {
    const tail = `${unit.repeat(3_000_000 / unit.length)}\n${RATE_LIMITED}`;
    expect(classifyStop({ tail })).toMatchObject({ reason: "rate_limit", retryAfterMs: 20_000 });
    expect(classifyStop({ tail: [tail.slice(0, -RATE_LIMITED.length), RATE_LIMITED] })).toEqual(
      classifyStop({ tail }),
    );
  });
});
