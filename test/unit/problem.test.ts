import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/domain/failure";
import { problemSchema, STATUS, toProblem } from "../../src/protocol/problem";

/** The codes of the design, written out a second time. */
const DESIGN: Readonly<Record<string, number>> = {
  invalid_request: 400,
  credential_missing: 401,
  token_invalid: 403,
  scope_denied: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  token_superseded: 409,
  version_conflict: 409,
  illegal_transition: 409,
  paused: 409,
  replay_gap: 409,
  busy: 409,
  lease_held: 409,
  lease_lost: 409,
  external_id_taken: 409,
  expired: 410,
  gone: 410,
  length_required: 411,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid_fields: 422,
  missing_fields: 422,
  idempotency_mismatch: 422,
  upgrade_required: 426,
  rate_limited: 429,
  internal: 500,
  not_configured: 501,
  overloaded: 503,
};
/** Codes that were added to the design's, with the reason in docs/decisions. */
const ADDED: Readonly<Record<string, number>> = { checkpoint_corrupt: 409 };
const CODES = { ...DESIGN, ...ADDED };

const SAMPLES: readonly Failure[] = [
  { code: "invalid_request", detail: "the body is not JSON", at: "fields.a" },
  { code: "credential_missing" },
  { code: "credential_missing", what: "key" },
  { code: "token_invalid", what: "key" },
  { code: "scope_denied", needed: "manage", why: "key_lacks" },
  { code: "external_id_taken" },
  { code: "gone", what: "template" },
  { code: "quota_exceeded", quota: "openSessions", used: 3, allowed: 3 },
  { code: "length_required" },
  { code: "unsupported_media_type", wanted: "a file of type image/png" },
  { code: "token_invalid" },
  { code: "scope_denied", needed: "own", why: "token_lacks" },
  { code: "scope_denied", needed: "own", why: "wider_than_own" },
  { code: "scope_denied", needed: "review", why: "own_work" },
  { code: "scope_denied", needed: "own", why: "not_yours" },
  { code: "not_found", what: "handoff" },
  { code: "method_not_allowed", allow: ["GET", "HEAD"] },
  { code: "token_superseded" },
  { code: "version_conflict", seen: 3, what: "version", actual: 5 },
  { code: "version_conflict", seen: 3, what: "head", actual: 5 },
  { code: "precondition_failed", given: 3, version: 5 },
  { code: "illegal_transition", from: "draft", operation: "approve", allowed: ["submit"] },
  { code: "illegal_transition", from: "finalized", operation: "submit", allowed: [] },
  { code: "paused" },
  {
    code: "replay_gap",
    trimmed: { floor: 5, checkpoint: { id: "chk_1", name: "before", seq: 7 } },
  },
  { code: "checkpoint_corrupt" },
  { code: "busy", retryAfterMs: 1_500 },
  { code: "busy", what: "once", retryAfterMs: 1_500 },
  {
    code: "lease_held",
    name: "worker",
    holder: { participant: "par_2", actor: { kind: "agent", id: "worker-7" } },
    retryAfterMs: 1_500,
  },
  { code: "lease_lost", name: "worker", number: 42 },
  { code: "lease_lost", name: "worker", number: 42, why: "other_lease" },
  { code: "expired", expiresAt: 0, what: "session" },
  { code: "expired", expiresAt: 0, what: "participant" },
  { code: "gone" },
  { code: "too_large", what: "a request body, in bytes", limit: 7 },
  { code: "unsupported_media_type" },
  {
    code: "invalid_fields",
    problems: [{ field: "a", problem: "invalid", message: "must be a number" }],
  },
  {
    code: "missing_fields",
    problems: [{ field: "a", problem: "missing", message: "is required" }],
  },
  { code: "idempotency_mismatch", why: "other_request" },
  { code: "idempotency_mismatch", why: "too_old" },
  { code: "idempotency_mismatch", why: "purged" },
  { code: "upgrade_required" },
  { code: "rate_limited", detail: "Too many connections are open.", retryAfterMs: 1_500 },
  {
    code: "rate_limited",
    detail: "Too many sessions were begun.",
    retryAfterMs: 60_000,
    quota: { name: "create", limit: 120, period: 60 },
  },
  { code: "internal" },
  { code: "not_configured", setting: "SIGNING_KEYS", detail: "SIGNING_KEYS is not set." },
  { code: "overloaded", retryAfterMs: 1_500 },
];

describe("the table of problems", () => {
  it("gives every code the status of the design, and has no other codes than those added since", () => {
    expect(CODES).toMatchObject(STATUS);
  });

  it.each(SAMPLES)("describes $code in full and in the shape of the API description", (failure) => {
    const problem = toProblem(failure);
    expect(problemSchema.strict().parse(problem)).toEqual(problem);
    expect(problem).toMatchObject({ code: failure.code, status: CODES[failure.code] });
    expect(problem.title).not.toBe("");
    expect(problem.detail).toMatch(/\.$|^the body is not JSON$/);
    expect(problem.nextActions.length).toBeGreaterThan(0);
    expect(JSON.stringify(problem)).not.toMatch(/undefined|\[object|NaN|rtok_[\w-]/);
  });

  it("includes the wait for every failure that can be retried later", () => {
    for (const failure of SAMPLES) {
      const { status, retryAfterMs, retryable } = toProblem(failure);
      expect(retryAfterMs !== undefined, failure.code).toBe(
        status === 429 || status === 503 || ["busy", "lease_held"].includes(failure.code),
      );
      if (retryAfterMs !== undefined) expect(retryable, failure.code).toBe(true);
    }
  });

  it("has a sample of every code", () => {
    const sampled = new Set(SAMPLES.map(({ code }) => code as string));
    expect(Object.keys(STATUS).filter((code) => !sampled.has(code))).toEqual([]);
  });

  it("reveals no details of an internal error", () => {
    const cause = { code: "internal", message: "SQLITE_FULL", stack: "at x.ts" } as const;
    expect(toProblem(cause)).toEqual(toProblem({ code: "internal" }));
  });

  it("shows current and missed only if they are passed to it", () => {
    const conflict: Failure = { code: "version_conflict", seen: 1, what: "version", actual: 2 };
    expect(toProblem(conflict)).not.toHaveProperty("current");
    expect(toProblem(conflict, { missed: [], more: false })).toMatchObject({ more: false });
    expect(toProblem(conflict, { sessionId: "ses_x" }).sessionId).toBe("ses_x");
  });
});
