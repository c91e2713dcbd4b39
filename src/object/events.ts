/** Reading and appending to the log. */
import { admit, expiryProblem } from "../domain/participants/admission";
import { expiryTime } from "../domain/session/expiry";
import { commitChange } from "./commit";
import type { SessionContext } from "./session-context";
import { gapProblem } from "../domain/log/log-gap";
import { admitTo, replyTo, identify, refusal, type IdentifiedCaller } from "./gate";
import type {
  AppendOutcome,
  AppendRequest,
  EventsRequest,
  EventPage,
  Refusal,
  Reply,
  RequestKey,
} from "./messages";

export function readEvents(
  context: SessionContext,
  request: EventsRequest,
  now: number,
): Reply<EventPage> {
  const admitted = admitTo(context, request, request.operation, now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const after = request.query.after ?? participant.cursor;
  const problem = gapProblem(session, after, context.store.head(), "after");
  // Audit reads what is left: the server's own events are never trimmed.
  if (problem !== null && !(request.operation === "audit" && problem.code === "replay_gap")) {
    return refusal(context, admitted.value, problem, now);
  }
  return replyTo(admitted.value, admitted.value.page({ ...request.query, after }));
}

/** Writes one row for any number of events. Spends no token and moves no version. */
export function append(
  context: SessionContext,
  request: AppendRequest,
  now: number,
): Reply<AppendOutcome> {
  const caller = identify(context, request.credential, now);
  if (!caller.ok) return caller;
  const { session, participant, tokenStatus } = caller.value;
  const { credential, key, batch, expectedHead, ifMatch } = request;
  const head = context.store.head();
  const expiresAt = expiryTime(session);
  const earlier = findByKey(caller.value, key, (number, hash) =>
    context.store.appendByKey(number, hash),
  );
  if (earlier !== null) {
    if (earlier.request !== key?.request) return keyMismatch(context, caller.value, now);
    const { first, last } = earlier;
    return replyTo(caller.value, { first, last, head, replayed: true, expiresAt });
  }
  const attempt = {
    operation: "append",
    // Of a batch that has a problem, the types are not known; the problem is reported.
    appendedTypes: batch.types,
    request: null,
    ifMatch,
    ...(expectedHead === null ? {} : { expectedHead: { given: expectedHead, actual: head } }),
  } as const;
  const admitted = admit(session, participant, tokenStatus, credential, attempt, now);
  const problem = admitted.ok ? batch.problem : admitted.error;
  if (problem !== null) return refusal(context, caller.value, problem, now);
  const { trace } = credential;
  const change = { by: participant, events: batch, trace, key };
  const { commit, loaded } = commitChange(context, session, now, change);
  const { first, last } = commit;
  const answer = { first, last, head: context.store.head(), replayed: false };
  const ends = { expiresAt: expiryTime(loaded?.session ?? session) };
  return replyTo(caller.value, { ...answer, ...ends });
}

/** What the same participant wrote with the same key, unless its token is from before a resume. */
export const findByKey = <T>(
  { participant, tokenStatus }: IdentifiedCaller,
  key: RequestKey | null,
  find: (participant: number, hash: string) => T | null,
): T | null =>
  key === null || tokenStatus === "fenced" ? null : find(participant.number, key.hash);

/** The key was used by another request. After expiry the expiry is reported instead. */
export function keyMismatch(
  context: SessionContext,
  caller: IdentifiedCaller,
  now: number,
): Refusal {
  const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
  return refusal(context, caller, expiryProblem(caller.session, now) ?? mismatch, now);
}
