/** Reading and appending to the log. */
import { admit, expiryProblem } from "../domain/admission";
import { numberBatch } from "../domain/append";
import { expiryTime, purgeAt } from "../domain/expiry";
import type { Session } from "../domain/session";
import { isTerminal } from "../domain/state";
import { readPage, type PageQuery } from "../storage/log-page";
import type { Appended, AppendRequest, EventsRequest, Page, Reply } from "./messages";
import {
  admitTo,
  fitting,
  receive,
  refusal,
  replayProblem,
  storeCommit,
  type Desk,
  type Received,
} from "./reception";

export function readEvents(desk: Desk, request: EventsRequest, now: number): Reply<Page> {
  const admitted = admitTo(desk, request.credential, request.operation, now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const after = request.query.after ?? participant.cursor;
  const problem = replayProblem(session, after, desk.store.head(), "after");
  // Audit shows what there is: the server's own events are never trimmed.
  if (problem !== null && !(request.operation === "audit" && problem.code === "replay_gap")) {
    return refusal(desk, admitted.value, problem);
  }
  return { ok: true, value: pageForReply(desk, { ...request.query, after }, admitted.value) };
}

export function pageForReply(
  desk: Desk,
  query: PageQuery,
  { session, participant }: Pick<Received, "session" | "participant">,
): Page {
  const head = desk.store.head();
  const { texts, count, nextAfter, more } = readPage(desk.store, query, head);
  const validUntil = Math.min(expiryOf(session), participant.expiresAt ?? Infinity);
  const ended = isTerminal(session.state);
  const expiresAt = expiryTime(session);
  return { texts, count, head, nextAfter, more, ended, validUntil, expiresAt };
}

/** An ended session no longer expires, but one day it is gone. */
const expiryOf = (session: Session): number =>
  isTerminal(session.state) ? purgeAt(session) : session.expiresAt;

/** One row, however many events. Spends no token and moves no version. */
export function append(desk: Desk, request: AppendRequest, now: number): Reply<Appended> {
  return fitting(() => desk.store.oneStatement(() => appendOnce(desk, request, now)));
}

function appendOnce(desk: Desk, request: AppendRequest, now: number): Reply<Appended> {
  const received = receive(desk, request.credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const { credential, key, batch, expectedHead, ifMatch } = request;
  const head = desk.store.head();
  const expiresAt = expiryTime(session);
  if (key !== null && standing !== "fenced") {
    const earlier = desk.store.appendByKey(participant.number, key.hash);
    if (earlier !== null) {
      if (earlier.request === key.request) {
        const { first, last } = earlier;
        return { ok: true, value: { first, last, head, replayed: true, expiresAt } };
      }
      const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
      return refusal(desk, received.value, expiryProblem(session, participant, now) ?? mismatch);
    }
  }
  const attempt = {
    operation: "append",
    request: null,
    ifMatch,
    ...(expectedHead === null ? {} : { expectedHead: { given: expectedHead, actual: head } }),
  } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  if (!admitted.ok) return refusal(desk, received.value, admitted.error);
  if (batch.problem !== null) return refusal(desk, received.value, batch.problem);
  const { actor } = participant;
  const text = numberBatch(batch, session, head, actor, new Date(now).toISOString());
  const first = head + 1;
  const last = head + batch.count;
  storeCommit(desk, {
    commit: { first, last, actor, events: [], session },
    text,
    at: now,
    participant: participant.number,
    issued: [],
    append: key === null ? undefined : { key: key.hash, request: key.request },
  });
  return { ok: true, value: { first, last, head: last, replayed: false, expiresAt } };
}
