/** The one table from a failure to ARCP's canonical error. It compiles only while each has its case. */
import { CLOSE_CODES } from "../domain/log/live-wire";
import type { Failure } from "../domain/failure";
import { describe } from "../protocol/problem-words";

type ErrorCode =
  | "PERMISSION_DENIED"
  | "JOB_NOT_FOUND"
  | "DUPLICATE_KEY"
  | "AGENT_NOT_AVAILABLE"
  | "AGENT_VERSION_NOT_AVAILABLE"
  | "RESUME_WINDOW_EXPIRED"
  | "HEARTBEAT_LOST"
  | "INVALID_REQUEST"
  | "UNAUTHENTICATED"
  | "INTERNAL_ERROR";

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["HEARTBEAT_LOST", "INTERNAL_ERROR"]);

export interface ErrorPayload {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

export const errorOf = (
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ErrorPayload => ({
  code,
  message,
  retryable: RETRYABLE.has(code),
  ...(Object.keys(details).length === 0 ? {} : { details }),
});

function codeOf(failure: Failure): ErrorCode {
  switch (failure.code) {
    case "not_found":
      return NOT_FOUND[failure.what] ?? "INVALID_REQUEST";
    case "idempotency_mismatch":
      return "DUPLICATE_KEY";
    case "scope_denied":
    case "quota_exceeded":
      return "PERMISSION_DENIED";
    case "credential_missing":
      return "UNAUTHENTICATED";
    case "token_invalid":
      return failure.what === "key" ? "UNAUTHENTICATED" : "RESUME_WINDOW_EXPIRED";
    case "token_superseded":
    case "expired":
    case "gone":
    case "replay_gap":
      return "RESUME_WINDOW_EXPIRED";
    case "rate_limited":
    case "overloaded":
    case "internal":
    case "busy":
    case "checkpoint_corrupt":
    case "not_configured":
      return "INTERNAL_ERROR";
    case "invalid_request":
    case "method_not_allowed":
    case "version_conflict":
    case "precondition_failed":
    case "illegal_transition":
    case "paused":
    case "too_large":
    case "length_required":
    case "unsupported_media_type":
    case "invalid_fields":
    case "missing_fields":
    case "external_id_taken":
    case "upgrade_required":
      return "INVALID_REQUEST";
  }
}

const NOT_FOUND: Readonly<Record<string, ErrorCode>> = {
  agent: "AGENT_NOT_AVAILABLE",
  "agent version": "AGENT_VERSION_NOT_AVAILABLE",
  job: "JOB_NOT_FOUND",
};

const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  RESUME_WINDOW_EXPIRED:
    "There is nothing to resume with this token: it is unknown, spent, expired, or reaches back too far.",
  UNAUTHENTICATED:
    "A bearer token is needed: to begin a session one that this server accepts, to resume a session the one it began with.",
};

export function payloadOf(failure: Failure): ErrorPayload {
  const code = codeOf(failure);
  const { detail, facts } = describe(failure);
  return errorOf(code, MESSAGES[code] ?? detail, code in MESSAGES ? {} : { ...facts });
}

/** Says which request it answers. */
export const withRequest = (payload: ErrorPayload, requestId: string | null): ErrorPayload =>
  requestId === null
    ? payload
    : { ...payload, details: { ...payload.details, request_id: requestId } };

/** How the connection ends that an error ends. */
export function closingCode({ code }: ErrorPayload): number {
  switch (code) {
    case "UNAUTHENTICATED":
    case "PERMISSION_DENIED":
      return CLOSE_CODES.revoked;
    case "RESUME_WINDOW_EXPIRED":
      return CLOSE_CODES.expired;
    case "INTERNAL_ERROR":
      return CLOSE_CODES.restart;
    default:
      return CLOSE_CODES.protocol_error;
  }
}
