/** Refusals as errors of MCP Events: one of the draft's few codes, with our code in `data`. */
import { ProtocolError } from "@modelcontextprotocol/server";
import type { Failure, FailureCode } from "../../domain/failure";
import { redact } from "../../domain/redact";
import { EVENT_ERRORS } from "../../domain/notices/subscription";
import { toProblem } from "../../protocol/problem";

export function eventError(failure: Failure): ProtocolError {
  const { detail, nextActions } = toProblem(failure);
  const data = { code: failure.code, nextActions, ...errorKindOf(failure) };
  return new ProtocolError(CODES[failure.code] ?? EVENT_ERRORS.internal, detail, data);
}

/** Any other failure is internal. */
const CODES: Readonly<Partial<Record<FailureCode, number>>> = {
  invalid_request: EVENT_ERRORS.invalidParams,
  not_found: EVENT_ERRORS.notFound,
  too_large: EVENT_ERRORS.exhausted,
  rate_limited: EVENT_ERRORS.exhausted,
  quota_exceeded: EVENT_ERRORS.exhausted,
  not_configured: EVENT_ERRORS.unsupported,
  credential_missing: EVENT_ERRORS.forbidden,
  token_invalid: EVENT_ERRORS.forbidden,
  token_superseded: EVENT_ERRORS.forbidden,
  scope_denied: EVENT_ERRORS.forbidden,
  expired: EVENT_ERRORS.forbidden,
  gone: EVENT_ERRORS.forbidden,
};

function errorKindOf(failure: Failure): object {
  if (failure.code === "not_found") return { kind: failure.what };
  if (failure.code === "too_large") return { limit: "subscriptions", max: failure.limit };
  return failure.code === "not_configured" ? { feature: failure.setting } : {};
}

export const unknownEvent = (name: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.notFound, `There is no event "${redact(name)}"`, {
    kind: "event",
  });

export const unsupportedMode = (value: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.unsupported, "events/subscribe delivers by webhook only", {
    feature: "deliveryMode",
    value: redact(value),
  });

export const callbackError = (reason: string): ProtocolError =>
  new ProtocolError(EVENT_ERRORS.callback, "The address did not repeat the challenge", { reason });
