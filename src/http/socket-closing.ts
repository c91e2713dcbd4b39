/** How a socket closes after a refusal. It compiles only while every failure has its case. */
import type { Failure } from "../domain/failure";
import { CLOSE_CODES } from "../domain/log/live-wire";

export const closingReason = ({ code }: Failure): string =>
  code === "token_superseded" ? "superseded" : code;

export function closingCode({ code }: Failure): number {
  switch (code) {
    case "expired":
    case "gone":
    case "not_configured":
      return CLOSE_CODES[code];
    case "token_superseded":
      return CLOSE_CODES.superseded;
    case "token_invalid":
    case "scope_denied":
    case "quota_exceeded":
    case "credential_missing":
      return CLOSE_CODES.revoked;
    case "rate_limited":
    case "overloaded":
    case "busy":
    case "internal":
      return CLOSE_CODES.restart;
    case "not_found":
    case "version_conflict":
    case "precondition_failed":
    case "illegal_transition":
    case "paused":
    case "replay_gap":
    case "checkpoint_corrupt":
    case "idempotency_mismatch":
    case "external_id_taken":
      return CLOSE_CODES.refused;
    case "invalid_request":
    case "method_not_allowed":
    case "too_large":
    case "length_required":
    case "unsupported_media_type":
    case "invalid_fields":
    case "missing_fields":
    case "upgrade_required":
      return CLOSE_CODES.protocol_error;
  }
}
