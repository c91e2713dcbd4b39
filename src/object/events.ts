/** Reading and appending to the log. */
import { admit, expiryProblem } from "../domain/participants/admission";
import { expiryTime } from "../domain/session/expiry";
import { commitOne } from "./commit";
import type { Desk } from "./desk";
import { replayProblem } from "../domain/log/replay-problem";
import { admitTo, identify, refusal, type Received } from "./gate";
import type {
  Appended,
  AppendRequest,
  EventsRequest,
  Page,
  Refusal,
  Reply,
  RequestKey,
} from "./messages";

export function readEvents(desk: Desk, request: EventsRequest, now: number): Reply<Page> {
  const admitted = admitTo(desk, request, request.operation, now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const after = request.query.after ?? participant.cursor;
  const problem = replayProblem(session, after, desk.store.head(), "after");
  // Audit shows what there is: the server's own events are never trimmed.
  if (problem !== null && !(request.operation === "audit" && problem.code === "replay_gap")) {
    return refusal(desk, admitted.value, problem, now);
  }
  return { ok: true, value: admitted.value.page({ ...request.query, after }) };
}

/** One row, however many events. Spends no token and moves no version. */
export function append(desk: Desk, request: AppendRequest, now: number): Reply<Appended> {
  const received = identify(desk, request.credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const { credential, key, batch, expectedHead, ifMatch } = request;
  const head = desk.store.head();
  const expiresAt = expiryTime(session);
  const earlier = keyedBefore(received.value, key, (number, hash) =>
    desk.store.appendByKey(number, hash),
  );
  if (earlier !== null) {
    if (earlier.request !== key?.request) return otherRequest(desk, received.value, now);
    const { first, last } = earlier;
    return { ok: true, value: { first, last, head, replayed: true, expiresAt } };
  }
  const attempt = {
    operation: "append",
    request: null,
    ifMatch,
    ...(expectedHead === null ? {} : { expectedHead: { given: expectedHead, actual: head } }),
  } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  const problem = admitted.ok ? batch.problem : admitted.error;
  if (problem !== null) return refusal(desk, received.value, problem, now);
  const { trace } = credential;
  const change = { by: participant, facts: batch, trace, key };
  const { commit, loaded } = commitOne(desk, session, change, now);
  const { first, last } = commit;
  const answer = { first, last, head: desk.store.head(), replayed: false };
  return { ok: true, value: { ...answer, expiresAt: expiryTime(loaded?.session ?? session) } };
}

/** What the same participant sent with the same key, unless its token is from before a resume. */
export const keyedBefore = <T>(
  { participant, standing }: Received,
  key: RequestKey | null,
  find: (participant: number, hash: string) => T | null,
): T | null => (key === null || standing === "fenced" ? null : find(participant.number, key.hash));

/** The key is known from another request; after expiry that matters no more. */
export function otherRequest(desk: Desk, received: Received, now: number): Refusal {
  const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
  return refusal(desk, received, expiryProblem(received.session, now) ?? mismatch, now);
}
