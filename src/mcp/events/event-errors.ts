/** A refusal as MCP Events has it: one of the draft's few codes, with the code of ours in `data`. */
import { ProtocolError } from "@modelcontextprotocol/server";
import type { Failure } from "../../domain/failure";
import { redacted } from "../../domain/redacted";
import { EVENT_ERRORS } from "../../domain/notices/subscription";
import { toProblem } from "../../protocol/problem";

export function eventError(failure: Failure): ProtocolError {
  const { detail, nextActions } = toProblem(failure);
  const data = { code: failure.code, nextActions, ...kindOf(failure) };
  return new ProtocolError(codeOf(failure.code), detail, data);
}

function codeOf(code: Failure["code"]): number {
  switch (code) {
    case "invalid_request":
      return EVENT_ERRORS.invalidParams;
    case "not_found":
      return EVENT_ERRORS.notFound;
    case "too_large":
    case "rate_limited":
    case "quota_exceeded":
      return EVENT_ERRORS.exhausted;
    case "not_configured":
      return EVENT_ERRORS.unsupported;
    case "credential_missing":
    case "token_invalid":
    case "token_superseded":
    case "scope_denied":
    case "expired":
    case "gone":
      return EVENT_ERRORS.forbidden;
    default:
      return EVENT_ERRORS.internal;
  }
}

function kindOf(failure: Failure): object {
  if (failure.code === "not_found") return { kind: failure.what };
  if (failure.code === "too_large") return { limit: "subscriptions", max: failure.limit };
  return failure.code === "not_configured" ? { feature: failure.setting } : {};
}

export const unknownEvent = (name: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.notFound, `There is no event "${redacted(name)}"`, {
    kind: "event",
  });

export const unsupportedMode = (value: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.unsupported, "events/subscribe delivers by webhook only", {
    feature: "deliveryMode",
    value: redacted(value),
  });

export const callbackError = (reason: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.callback, "The address did not repeat the challenge", { reason });
