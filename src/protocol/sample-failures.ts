/** One failure of each code, for the examples in OpenAPI and for docs/errors.md. */
import type { Failure, FailureCode } from "../domain/failure";
import { allowedOperations } from "../domain/session/operation";

const PROBLEM = { field: "guests", problem: "invalid", message: "must be a number" } as const;
const EXPIRES_AT = Date.UTC(2026, 10, 24, 9);
const RETRY_AFTER_MS = 1_000;

export const SAMPLE_FAILURES: {
  readonly [Code in FailureCode]: Extract<Failure, { code: Code }>;
} = {
  invalid_request: {
    code: "invalid_request",
    detail: '"ttlMs" must be a number, not a string',
    at: "ttlMs",
  },
  credential_missing: { code: "credential_missing" },
  token_invalid: { code: "token_invalid" },
  scope_denied: { code: "scope_denied", needed: "review", why: "token_lacks" },
  quota_exceeded: { code: "quota_exceeded", quota: "openSessions", used: 100, allowed: 100 },
  not_found: { code: "not_found", what: "checkpoint" },
  method_not_allowed: { code: "method_not_allowed", allow: ["GET", "HEAD", "DELETE", "PATCH"] },
  token_superseded: { code: "token_superseded" },
  version_conflict: { code: "version_conflict", what: "version", seen: 3, actual: 6 },
  illegal_transition: {
    code: "illegal_transition",
    from: "submitted",
    operation: "setFields",
    allowed: allowedOperations("submitted"),
  },
  paused: { code: "paused" },
  replay_gap: {
    code: "replay_gap",
    trimmed: { floor: 40, checkpoint: { id: "chk_1", name: "half-way", seq: 41 } },
  },
  checkpoint_corrupt: { code: "checkpoint_corrupt" },
  busy: { code: "busy", retryAfterMs: RETRY_AFTER_MS },
  lease_held: {
    code: "lease_held",
    name: "worker",
    holder: { participant: "par_2", actor: { kind: "agent", id: "worker-7" } },
    retryAfterMs: 30_000,
  },
  lease_lost: { code: "lease_lost", name: "worker", number: 42 },
  external_id_taken: { code: "external_id_taken" },
  expired: { code: "expired", what: "session", expiresAt: EXPIRES_AT },
  gone: { code: "gone" },
  length_required: { code: "length_required" },
  precondition_failed: { code: "precondition_failed", given: 3, version: 6 },
  too_large: { code: "too_large", what: "a request body, in bytes", limit: 1_048_576 },
  unsupported_media_type: { code: "unsupported_media_type" },
  invalid_fields: { code: "invalid_fields", problems: [PROBLEM] },
  missing_fields: {
    code: "missing_fields",
    problems: [{ field: "date", problem: "missing", message: "is required" }],
  },
  idempotency_mismatch: { code: "idempotency_mismatch", why: "other_request" },
  upgrade_required: { code: "upgrade_required" },
  rate_limited: {
    code: "rate_limited",
    detail: "Too many sessions were created from your network.",
    retryAfterMs: 60_000,
  },
  internal: { code: "internal" },
  not_configured: {
    code: "not_configured",
    setting: "SEALING_KEYS",
    detail: "SEALING_KEYS is not set.",
  },
  overloaded: { code: "overloaded", retryAfterMs: RETRY_AFTER_MS },
};
