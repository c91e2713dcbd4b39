/** Maps a failure to ARCP's canonical error: by its code, or else by its HTTP status. */
import { CLOSE_CODES } from "../domain/log/listener-protocol";
import type { Failure } from "../domain/failure";
import { STATUS } from "../protocol/problem";
import { describeFailure } from "../protocol/problem-text";

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
    case "token_invalid":
      return failure.what === "key" ? "UNAUTHENTICATED" : "RESUME_WINDOW_EXPIRED";
    case "token_superseded":
    case "replay_gap":
      return "RESUME_WINDOW_EXPIRED";
    case "busy":
    case "checkpoint_corrupt":
      return "INTERNAL_ERROR";
  }
  const status = STATUS[failure.code];
  if (status === 429 || status >= 500) return "INTERNAL_ERROR";
  return BY_STATUS[status] ?? "INVALID_REQUEST";
}

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  410: "RESUME_WINDOW_EXPIRED",
};

const NOT_FOUND: Readonly<Record<string, ErrorCode>> = {
  agent: "AGENT_NOT_AVAILABLE",
  "agent version": "AGENT_VERSION_NOT_AVAILABLE",
  job: "JOB_NOT_FOUND",
};

const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  RESUME_WINDOW_EXPIRED:
    "There is nothing to resume with this token: it is unknown, spent, expired, or reaches back too far.",
  UNAUTHENTICATED:
    "A bearer token is needed: to create a session, one that this server accepts; to resume a session, the one that created it.",
};

export function payloadOf(failure: Failure): ErrorPayload {
  const code = codeOf(failure);
  const { detail, extensions } = describeFailure(failure);
  return errorOf(code, MESSAGES[code] ?? detail, code in MESSAGES ? {} : { ...extensions });
}

/** Adds the id of the request that the error answers. */
export const withRequest = (payload: ErrorPayload, requestId: string | null): ErrorPayload =>
  requestId === null
    ? payload
    : { ...payload, details: { ...payload.details, request_id: requestId } };

/** The WebSocket close code after an error that ends the connection. */
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
