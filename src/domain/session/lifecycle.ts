/** Ending, pausing and extending a session. */
import type { Extend, LifecycleCommand, SetLabels } from "./command";
import type { DecisionContext, DecisionResult } from "./decision";
import type { NewServerEvent } from "../log/event";
import { invalid, type Failure } from "../failure";
import { IDLE_TTL_MIN_MS } from "../limits";
import { ok, refuse, omitUndefined } from "../result";
import type { Settings } from "../settings";
import type { State } from "./state";

const endSession =
  (type: "session.finalized" | "session.cancelled", state: State) =>
  (command: LifecycleCommand): DecisionResult =>
    ok({
      events: [
        { type, payload: omitUndefined({ reason: command.reason }), movesVersion: true, state },
      ],
      outcome: {},
    });

export const finalize = endSession("session.finalized", "finalized");
export const cancel = endSession("session.cancelled", "cancelled");

/** Repeating is harmless. The log and the response show that nothing changed. */
export function setPaused(command: LifecycleCommand, { session }: DecisionContext): DecisionResult {
  const paused = command.operation === "pause";
  const already = paused ? session.paused : !session.paused && !session.automation.suspended;
  const event: NewServerEvent = {
    type: paused ? "session.paused" : "session.unpaused",
    payload: {
      outcome: already ? "skipped" : "success",
      ...omitUndefined({ reason: command.reason }),
    },
  };
  return ok({ events: [event], outcome: { already } });
}

export function extend(
  command: Extend,
  { session, now, settings }: DecisionContext,
): DecisionResult {
  const failure = ttlProblem(command.ttlMs, settings);
  if (failure !== null) return refuse(failure);
  const payload = {
    from: new Date(session.expiresAt).toISOString(),
    expiresAt: new Date(now + command.ttlMs).toISOString(),
  };
  return ok({ events: [{ type: "session.extended", payload }], outcome: {} });
}

/** The same as `ttlMs`, and at least two days, because use extends a session only once a day. */
export const idleTtlProblem = (
  idleTtlMs: number | undefined,
  { maxTtlMs }: Settings,
): Failure | null =>
  idleTtlMs !== undefined && (idleTtlMs < IDLE_TTL_MIN_MS || idleTtlMs > maxTtlMs)
    ? invalid(`idleTtlMs must be from ${IDLE_TTL_MIN_MS} to ${maxTtlMs}`, "idleTtlMs")
    : null;

export const setLabels = ({ labels }: SetLabels): DecisionResult =>
  ok({ events: [{ type: "session.labelled", payload: { labels } }], outcome: {} });

export function ttlProblem(ttlMs: number, { minTtlMs, maxTtlMs }: Settings): Failure | null {
  return ttlMs < minTtlMs || ttlMs > maxTtlMs
    ? invalid(`ttlMs must be from ${minTtlMs} to ${maxTtlMs}`, "ttlMs")
    : null;
}
