/**
 * A stop and its decision, in one commit. Spends no token: a stopped agent may have no token left
 * to write with.
 */
import { admit } from "../domain/participants/admission";
import { splitEvents } from "../domain/log/event-line";
import type { LogEvent } from "../domain/log/event";
import { expiryTime } from "../domain/session/expiry";
import { invalid, type Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { Session } from "../domain/session/session";
import { decideStop, retryAfterMsOf } from "../domain/stops/stop";
import type { StopDecision, StopReport } from "../domain/stops/stop";
import { commitChange } from "./commit";
import type { SessionContext } from "./session-context";
import { findByKey, keyMismatch } from "./events";
import { replyTo, identify, refusal } from "./gate";
import type { AuthenticatedRequest, Reply, RequestKey, StopOutcome } from "./messages";

type StopRequest = AuthenticatedRequest & {
  readonly report: StopReport;
  readonly key: RequestKey | null;
};

export function reportStop(
  context: SessionContext,
  request: StopRequest,
  now: number,
): Reply<StopOutcome> {
  const { credential, report, key } = request;
  const { store } = context;
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  const { session, participant, tokenStatus } = caller.value;
  const earlier = findByKey(caller.value, key, (number, hash) => store.appendByKey(number, hash));
  if (earlier !== null) {
    return earlier.request === key?.request
      ? replayedStop(context, session, earlier.first)
      : keyMismatch(context, caller.value, now);
  }
  const attempt = { operation: "reportStop", request: null, ifMatch: null } as const;
  const admitted = admit(session, participant, tokenStatus, credential, attempt, now);
  const problem = admitted.ok ? retryAfterProblem(report.retryAfter, now) : admitted.error;
  if (problem !== null) return refusal(context, caller.value, problem, now);
  const { lastStopSeq } = session.automation;
  const hasResumed = lastStopSeq !== null && participant.fenceSeq > lastStopSeq;
  const random = context.random();
  const { decision, events } = decideStop(report, { session, hasResumed, now, dice: random });
  const { participants, plan } = caller.value;
  const row = { participants, plan, adds: "nothing" } as const;
  const { trace } = credential;
  const change = { by: participant, events, trace, key, row };
  const { commit, loaded } = commitChange(context, session, now, change);
  const expiresAt = expiryTime(loaded?.session ?? session);
  return replyTo(caller.value, { decision, seq: commit.first, replayed: false, expiresAt });
}

/**
 * A date is bounded like `retryAfterMs`, and only the current time shows whether it is too far
 * away.
 */
function retryAfterProblem(value: string | undefined, now: number): Failure | null {
  if (value === undefined) return null;
  const waitMs = retryAfterMsOf(value, now);
  if (waitMs === null) {
    return invalid("retryAfter must be a number of seconds or an HTTP date", "retryAfter");
  }
  return waitMs > LIMITS.retryAfterMs
    ? invalid(`retryAfter must be at most ${LIMITS.retryAfterMs / 1000} seconds away`, "retryAfter")
    : null;
}

/** The decision as it is in the log. */
function replayedStop(context: SessionContext, session: Session, seq: number): Reply<StopOutcome> {
  const [line = "{}"] = splitEvents(context.store.commitAt(seq)?.lines ?? "{}");
  const { payload } = JSON.parse(line) as LogEvent;
  const decision = payload["decision"] as unknown as StopDecision;
  const expiresAt = expiryTime(session);
  return { ok: true, value: { decision, seq, replayed: true, expiresAt } };
}
