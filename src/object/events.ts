/** Reading and appending to the log. */
import { admit, expiryProblem } from "../domain/participants/admission";
import { expiryTime } from "../domain/session/expiry";
import { commitChange } from "./commit";
import type { Room } from "./room";
import { gapProblem } from "../domain/log/log-gap";
import { admitTo, answerTo, identify, refusal, type Received } from "./gate";
import type {
  Appended,
  AppendRequest,
  EventsRequest,
  Page,
  Refusal,
  Reply,
  RequestKey,
} from "./messages";

export function readEvents(room: Room, request: EventsRequest, now: number): Reply<Page> {
  const admitted = admitTo(room, request, request.operation, now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const after = request.query.after ?? participant.cursor;
  const problem = gapProblem(session, after, room.store.head(), "after");
  // Audit shows what there is: the server's own events are never trimmed.
  if (problem !== null && !(request.operation === "audit" && problem.code === "replay_gap")) {
    return refusal(room, admitted.value, problem, now);
  }
  return answerTo(admitted.value, admitted.value.page({ ...request.query, after }));
}

/** One row, however many events. Spends no token and moves no version. */
export function append(room: Room, request: AppendRequest, now: number): Reply<Appended> {
  const received = identify(room, request.credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const { credential, key, batch, expectedHead, ifMatch } = request;
  const head = room.store.head();
  const expiresAt = expiryTime(session);
  const earlier = keyedBefore(received.value, key, (number, hash) =>
    room.store.appendByKey(number, hash),
  );
  if (earlier !== null) {
    if (earlier.request !== key?.request) return otherRequest(room, received.value, now);
    const { first, last } = earlier;
    return answerTo(received.value, { first, last, head, replayed: true, expiresAt });
  }
  const attempt = {
    operation: "append",
    request: null,
    ifMatch,
    ...(expectedHead === null ? {} : { expectedHead: { given: expectedHead, actual: head } }),
  } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  const problem = admitted.ok ? batch.problem : admitted.error;
  if (problem !== null) return refusal(room, received.value, problem, now);
  const { trace } = credential;
  const change = { by: participant, facts: batch, trace, key };
  const { commit, loaded } = commitChange(room, session, now, change);
  const { first, last } = commit;
  const answer = { first, last, head: room.store.head(), replayed: false };
  const ends = { expiresAt: expiryTime(loaded?.session ?? session) };
  return answerTo(received.value, { ...answer, ...ends });
}

/** What the same participant sent with the same key, unless its token is from before a resume. */
export const keyedBefore = <T>(
  { participant, standing }: Received,
  key: RequestKey | null,
  find: (participant: number, hash: string) => T | null,
): T | null => (key === null || standing === "fenced" ? null : find(participant.number, key.hash));

/** The key is known from another request; after expiry that matters no more. */
export function otherRequest(room: Room, received: Received, now: number): Refusal {
  const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
  return refusal(room, received, expiryProblem(received.session, now) ?? mismatch, now);
}
