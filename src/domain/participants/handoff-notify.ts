/**
 * Which endpoints a handoff notifies, and when it sends a reminder. Requests that could never reach
 * anyone are refused.
 */
import { invalid, type Failure } from "../failure";
import { endpointHexOf } from "../notices/endpoint";
import { CANNOT_DELIVER_TO_ENDED } from "../notices/endpoint-rules";
import { isMakerGone } from "../notices/stored-endpoint";
import { ok, refuse, type Result } from "../result";
import type { Handoff } from "../session/command";
import type { DecisionContext } from "../session/decision";
import type { Participant } from "./participant";

/** A handoff notifies only endpoints of its own session and of the session's owner. */
export function resolveNotify(
  { notify = [] }: Handoff,
  { session, participants, now, endpoints, endpointOwners = {}, sealedLink }: DecisionContext,
): Result<Participant["ring"]> {
  if (notify.length === 0) return ok(undefined);
  const ownEndpoints = endpoints();
  const ended = new Set(
    ownEndpoints
      .filter((one) => one.status === "ended" || isMakerGone(one, session, participants, now))
      .map(({ hex }) => hex),
  );
  const owner = session.belongs?.owner;
  const ownerEndpointOf = (hex: string) =>
    Object.hasOwn(endpointOwners, hex) && endpointOwners[hex]?.owner === owner
      ? endpointOwners[hex]
      : undefined;
  const to = notify.map((id) => endpointHexOf(id) ?? "");
  const isKnown = (hex: string): boolean =>
    ownEndpoints.some((one) => one.hex === hex) || ownerEndpointOf(hex) !== undefined;
  if (!to.every(isKnown)) return refuse({ code: "not_found", what: "endpoint" });
  if (to.some((hex) => ended.has(hex) || ownerEndpointOf(hex)?.isEnded === true)) {
    return refuse(invalid(CANNOT_DELIVER_TO_ENDED, "notify"));
  }
  return ok({ to, ...(sealedLink === undefined ? {} : { link: sealedLink }) });
}

/** Nobody waits for a handoff that has ended, so its reminder would never be sent. */
export function reminderProblem(
  remindAfterMs: number | undefined,
  expiresAt: number | null,
  now: number,
): Failure | null {
  const lifeMs = (expiresAt ?? Infinity) - now;
  if (remindAfterMs === undefined || remindAfterMs < lifeMs) return null;
  const detail = `remindAfterMs is ${remindAfterMs}, but the handoff ends after ${lifeMs} ms; choose a shorter time or a longer ttlMs`;
  return invalid(detail, "remindAfterMs");
}
