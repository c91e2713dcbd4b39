import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveAgent } from "../../../src/domain/jobs/agents";
import { bytesToHex } from "../../../src/domain/base64url";
import type { TokenHash } from "../../../src/domain/ids";
import { isOpen, jobDueAt, jobIdOf, parseJobId, type Job } from "../../../src/domain/jobs/job";
import { hasEndedByReport, isRepeatedEndReport } from "../../../src/domain/jobs/job-end";
import * as rules from "../../../src/domain/jobs/job-rules";
import { canonicalJson, type Json } from "../../../src/domain/json";

const ID = "job_x";
const identity = { id: ID, number: 1, createdBy: 1 };
const submitted = (extra: Partial<rules.JobSubmission> = {}): Job =>
  rules.submit({ agent: "a", input: null, ...extra }, { name: "a", version: null }, identity, 0)
    .job;
const hash = (epoch: number): TokenHash => `hash-${epoch}` as TokenHash;

describe("a job's id", () => {
  it("carries the object's id and the job's number, and has one spelling", () => {
    const hex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex);
    fc.assert(
      fc.property(hex, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (objectIdHex, number) => {
        const id = jobIdOf(objectIdHex, number);
        expect(parseJobId(id)).toEqual({ objectIdHex, number });
        expect(parseJobId(`${id}A`)).toBeNull();
        expect(parseJobId(id.slice(4))).toBeNull();
      }),
    );
  });
});

const resultIn = (report: rules.JobReport) =>
  report.what === "result" && report.resultId === undefined ? (report.result ?? null) : undefined;
const applyEnd = (report: rules.JobReport) => {
  const claimed = rules.claim(submitted(), ID, { token: hash(1), leaseMs: 1_000, now: 0 });
  return rules.applyReport(claimed?.job ?? submitted(), ID, report, {
    head: 0,
    now: 1,
    batch: null,
  });
};
/** As the log records it: two reports that leave the same event are the same. */
const loggedFacts = (report: rules.JobReport) => canonicalJson(applyEnd(report).events);

describe("a job's end", () => {
  const json = fc.jsonValue();
  const report: fc.Arbitrary<rules.JobReport> = fc.oneof(
    fc.record(
      {
        what: fc.constant("result" as const),
        result: json as fc.Arbitrary<Json>,
        summary: fc.string(),
      },
      { requiredKeys: ["what"] },
    ),
    fc.record(
      { what: fc.constant("result" as const), resultId: fc.string(), resultSize: fc.nat() },
      { requiredKeys: ["what", "resultId"] },
    ),
    fc.record({
      what: fc.constant("error" as const),
      code: fc.constantFrom("X", "Y"),
      message: fc.string(),
      retryable: fc.boolean(),
    }),
  );
  // Shows Z-4.
  it("is repeated only by the identical result or error", () => {
    fc.assert(
      fc.property(report, report, (first, second) => {
        const { job } = applyEnd(first);
        expect(isRepeatedEndReport(job, resultIn(first), first)).toBe(true);
        expect(isRepeatedEndReport(job, resultIn(first), second)).toBe(
          loggedFacts(first) === loggedFacts(second),
        );
        expect(isRepeatedEndReport(job, resultIn(first), { what: "heartbeat" })).toBe(false);
        expect(hasEndedByReport(job)).toBe(true);
      }),
    );
  });

  it("by timeout is not an end by a report", () => {
    const running = rules.claim(submitted({ maxRuntimeMs: 500 }), ID, {
      token: hash(1),
      leaseMs: 1_000,
      now: 0,
    });
    const timedOut = rules.decideOverdue(running?.job ?? submitted(), ID, { head: 0, now: 500 });
    expect(timedOut?.job.status).toBe("timed_out");
    expect(hasEndedByReport(timedOut?.job ?? submitted())).toBe(false);
    expect(hasEndedByReport(submitted())).toBe(false);
  });
});

type Step =
  | { readonly do: "claim" }
  | { readonly do: "events" | "result" | "error" | "heartbeat"; readonly epoch: number }
  | { readonly do: "alarm" }
  | { readonly do: "cancel" };

const step: fc.Arbitrary<Step & { readonly after: number }> = fc.oneof(
  fc.record({ do: fc.constant("claim" as const), after: fc.nat(3_000) }),
  fc.record({ do: fc.constant("alarm" as const), after: fc.nat(3_000) }),
  fc.record({ do: fc.constant("cancel" as const), after: fc.nat(3_000) }),
  fc.record({
    do: fc.constantFrom(
      "events" as const,
      "result" as const,
      "error" as const,
      "heartbeat" as const,
    ),
    epoch: fc.integer({ min: 1, max: 4 }),
    after: fc.nat(3_000),
  }),
);

const reportOf = (what: string): rules.JobReport => {
  if (what === "events")
    return {
      what,
      events: [
        { kind: "log", body: {} },
        { kind: "log", body: {} },
      ],
    };
  if (what === "error") return { what, code: "X", message: "", retryable: false };
  return what === "result" ? { what, result: 1 } : { what: "heartbeat" };
};

describe("whatever executors, alarms and clients do to a job", () => {
  it("its events are numbered without a gap, it ends at most once, and only the holder can report", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let job = submitted({ maxRuntimeMs: 20_000 });
        let now = 0;
        let head = 0;
        let ends = 0;
        for (const one of steps) {
          now += one.after;
          const before = job;
          let change: rules.JobChange | null = null;
          if (one.do === "claim") {
            const token = hash(job.tokens.length + 1);
            change = rules.claim(job, ID, { token, leaseMs: 2_000, now });
            if (change !== null) expect(before.status).toBe("pending");
          } else if (one.do === "alarm") {
            change = rules.decideOverdue(job, ID, { head, now });
          } else if (one.do === "cancel") {
            change = isOpen(job)
              ? rules.endWithError(job, ID, "cancelled", rules.cancellation(undefined), {
                  head,
                  now,
                })
              : null;
          } else {
            const status = rules.jobTokenStatus(
              job,
              { epoch: one.epoch, hash: hash(one.epoch) },
              now,
            );
            if (status !== "current") continue;
            expect(one.epoch).toBe(job.tokens.length);
            change = rules.applyReport(job, ID, reportOf(one.do), { head, now, batch: null });
          }
          if (change === null) continue;
          for (const { type, payload } of change.events) {
            if (!rules.isNumbered(type)) continue;
            expect((payload as { eventSeq?: number }).eventSeq).toBe(head + 1);
            head += 1;
          }
          job = change.job;
          if (isOpen(before) && !isOpen(job)) ends += 1;
          if (!isOpen(before)) expect(job.status).toBe(before.status);
          expect(job.tokens.length).toBeLessThanOrEqual(3);
          if (!isOpen(job)) expect(jobDueAt(job)).toBeNull();
        }
        expect(ends).toBeLessThanOrEqual(1);
        expect(ends === 1).toBe(!isOpen(job));
      }),
    );
  });

  it("the alarm is set for the time when the job is due, or not at all", () => {
    const job = submitted();
    expect(jobDueAt(job)).toBe(0);
    expect(jobDueAt({ ...job, offered: true })).toBeNull();
    const claimed = rules.claim(job, ID, { token: hash(1), leaseMs: 500, now: 100 });
    expect(claimed && jobDueAt(claimed.job)).toBe(600);
    const limited = submitted({ leaseUntil: 300 });
    expect(jobDueAt({ ...limited, offered: true })).toBe(300);
    const ended = rules.decideOverdue({ ...limited, offered: true }, ID, { head: 0, now: 300 });
    expect(ended?.job.outcome?.error).toMatchObject({ code: "LEASE_EXPIRED", retryable: false });
  });
});

describe("an agent's name", () => {
  const agents = [{ name: "a", versions: ["1", "2"], default: "2" }, { name: "b" }];
  it.each([
    ["a", { name: "a", version: "2" }],
    ["a@1", { name: "a", version: "1" }],
    ["b", { name: "b", version: null }],
  ])("%s is resolved", (requested, expected) => {
    expect(resolveAgent(agents, requested, null)).toEqual({ ok: true, value: expected });
  });
  it.each([
    ["a@3", "not_found"],
    ["b@1", "not_found"],
    ["c", "not_found"],
    ["a@", "invalid_request"],
    ["", "invalid_request"],
  ])("%s is refused", (requested, code) => {
    expect(resolveAgent(agents, requested, null)).toMatchObject({ ok: false, error: { code } });
  });
});
