/** A stop and its decision, in one commit. Spends no token: who stopped may have nothing left to write with. */
import { admit, expiryProblem } from "../domain/admission";
import { numberEvents } from "../domain/commit";
import { encodeEvents, splitEvents } from "../domain/event-line";
import type { LogEvent } from "../domain/event";
import { expiryTime } from "../domain/expiry";
import { invalid, type Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { Session } from "../domain/session";
import { decideStop, retryAfterMsOf, type StopDecision } from "../domain/stop";
import type { Reply, Stopped, StopRequest } from "./messages";
import { fitting, receive, refusal, storeCommit, type Desk } from "./reception";

export function reportStop(
  desk: Desk,
  request: StopRequest,
  now: number,
  dice: number,
): Reply<Stopped> {
  return fitting(() => desk.store.transaction(() => reportInTransaction(desk, request, now, dice)));
}

function reportInTransaction(
  desk: Desk,
  { credential, report, key }: StopRequest,
  now: number,
  dice: number,
): Reply<Stopped> {
  const { store } = desk;
  const received = receive(desk, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const earlier =
    key !== null && standing !== "fenced" ? store.appendByKey(participant.number, key.hash) : null;
  if (earlier !== null) {
    if (earlier.request === key?.request) return replayed(desk, session, earlier.first);
    const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
    return refusal(desk, received.value, expiryProblem(session, participant, now) ?? mismatch);
  }
  const attempt = { operation: "reportStop", request: null, ifMatch: null } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  if (!admitted.ok) return refusal(desk, received.value, admitted.error);
  const problem = retryAfterProblem(report.retryAfter, now);
  if (problem !== null) return refusal(desk, received.value, problem);
  const { lastStopSeq } = session.automation;
  const hasResumed = lastStopSeq !== null && participant.fenceSeq > lastStopSeq;
  const { decision, facts } = decideStop(report, { session, hasResumed, now, dice });
  const commit = numberEvents(session, store.head(), facts, participant.actor, now);
  // The commit comes last, because it is announced: an update that does not fit undoes both.
  store.update({ ...received.value, session: commit.session }, false);
  storeCommit(desk, {
    commit,
    text: encodeEvents(commit.events),
    at: now,
    participant: participant.number,
    issued: [],
    append: key === null ? undefined : { key: key.hash, request: key.request },
  });
  const expiresAt = expiryTime(session);
  return { ok: true, value: { decision, seq: commit.first, replayed: false, expiresAt } };
}

/** A time is bounded like `retryAfterMs`, and that it is too far can only be known now. */
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

/** The decision as it stands in the log. */
function replayed(desk: Desk, session: Session, seq: number): Reply<Stopped> {
  const [line = "{}"] = splitEvents(desk.store.commitAt(seq)?.lines ?? "{}");
  const { payload } = JSON.parse(line) as LogEvent;
  const decision = payload["decision"] as unknown as StopDecision;
  const expiresAt = expiryTime(session);
  return { ok: true, value: { decision, seq, replayed: true, expiresAt } };
}
