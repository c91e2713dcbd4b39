import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/domain/failure";
import { toToolProblem } from "../../src/mcp/tool-problem";
import { STATUS, toProblem } from "../../src/protocol/problem";

const trimmed = { floor: 4, checkpoint: { id: "chk_1", name: "one", seq: 4 } };

/** Every failure that a tool can return; the others are about HTTP itself. */
const failures: readonly Failure[] = [
  {
    code: "invalid_request",
    detail: "lastEventSeq is 9, but the log ends at 3",
    at: "lastEventSeq",
  },
  {
    code: "invalid_request",
    detail: "the path and the Authorization header carry different tokens",
  },
  { code: "token_invalid" },
  { code: "scope_denied", needed: "own", why: "token_lacks" },
  { code: "token_superseded" },
  { code: "version_conflict", what: "version", seen: 1, actual: 2 },
  { code: "version_conflict", what: "head", seen: 1, actual: 2 },
  { code: "precondition_failed", given: 1, version: 2 },
  { code: "illegal_transition", from: "cancelled", operation: "submit", allowed: [] },
  { code: "paused" },
  { code: "replay_gap", trimmed },
  { code: "checkpoint_corrupt" },
  { code: "busy", retryAfterMs: 1 },
  { code: "expired", what: "session", expiresAt: 0 },
  { code: "gone" },
  { code: "too_large", what: "a request body, in bytes", limit: 1 },
  { code: "invalid_fields", problems: [] },
  { code: "missing_fields", problems: [] },
  { code: "not_found", what: "job" },
  { code: "unsupported_media_type", wanted: "a file of type image/png" },
  { code: "idempotency_mismatch", why: "other_request" },
  { code: "external_id_taken" },
  { code: "quota_exceeded", quota: "openSessions", used: 1, allowed: 1 },
  { code: "lease_lost", name: "worker", number: 42 },
  { code: "internal" },
  { code: "overloaded", retryAfterMs: 1 },
] as readonly Failure[];

const OF_HTTP_ALONE = [
  "credential_missing",
  "method_not_allowed",
  "lease_held",
  "length_required",
  "not_configured",
  "upgrade_required",
  "rate_limited",
];

describe("advice for a model", () => {
  it.each(failures.map((failure) => [failure.code, failure] as const))(
    "on %s names tools and arguments, not requests and headers",
    (_, failure) => {
      const { title, detail, nextActions, at = "" } = toToolProblem(toProblem(failure), "submit");
      const text = [title, detail, ...nextActions, at].join("\n");

      expect(text).not.toMatch(
        /If-Match|Idempotency-Key|Retry-After|Authorization|Content-Type|header/i,
      );
      expect(text).not.toMatch(
        /\b(?:GET|POST|PATCH|PUT|DELETE) |\/sessions|\/docs|lastEventSeq|expectedHead/,
      );
    },
  );

  it("is tested for every failure that a tool can return", () => {
    const tried = new Set(failures.map(({ code }) => code));
    const untried = Object.keys(STATUS).filter((code) => !tried.has(code as Failure["code"]));

    expect(untried.sort()).toEqual([...OF_HTTP_ALONE].sort());
  });
});
