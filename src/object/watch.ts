/**
 * Watching a job of another session of the same principal. What is seen there is copied into the log
 * of the session that watches, with a number of its own: so its stream stays one, dense, and
 * replayable, whoever else's events are in it.
 */
import { SYSTEM } from "../domain/actor";
import { admit, expiryProblem, type Credential } from "../domain/admission";
import { isElsewhere } from "../domain/binding";
import { isPurgeable } from "../domain/expiry";
import { isOpen, jobIdOf } from "../domain/job";
import { note, NUMBERED_TYPES, type JobEvent } from "../domain/job-rules";
import { LIMITS } from "../domain/limits";
import type { Loaded } from "../storage/session-store";
import type { StoredJob } from "../storage/job-store";
import { placeAfter } from "./arcp";
import { pageForReply } from "./events";
import type { MirrorRequest, Watched, WatchRequest } from "./job-messages";
import { commitFacts, hexOf, showJob } from "./jobs";
import type { Page, Reply } from "./messages";
import { fitting, receive, type Desk, type Received } from "./reception";

interface Watching extends Loaded {
  readonly stored: StoredJob;
  readonly owner: Received["participant"];
}

const UNKNOWN = { ok: false, failure: { code: "not_found", what: "job" } } as const;

/** One answer for a job that does not exist and one that is somebody else's. */
export function admitWatcher(desk: Desk, request: WatchRequest, now: number): Reply<Watching> {
  const loaded = desk.store.exists() ? desk.store.load() : null;
  if (loaded === null || isPurgeable(loaded.session, now)) return UNKNOWN;
  const owner = loaded.participants.find(
    (one) =>
      one.arcp?.principal === request.principal &&
      !loaded.session.revoked.includes(one.number) &&
      !isElsewhere(one.bind, request.from),
  );
  const stored = desk.jobs.get(request.number);
  if (owner === undefined || stored === null) return UNKNOWN;
  const expiry = expiryProblem(loaded.session, owner, now);
  return expiry === null
    ? { ok: true, value: { ...loaded, stored, owner } }
    : { ok: false, failure: expiry };
}

/** The job, and the seq after which its events are to be read: from a number on, or from now on. */
export function watchJob(
  desk: Desk,
  request: WatchRequest,
  from: number | null,
  now: number,
): Reply<Watched> {
  const admitted = admitWatcher(desk, request, now);
  if (!admitted.ok) return admitted;
  const job = showJob(desk, admitted.value.stored);
  if (from === null) return { ok: true, value: { job, head: desk.store.head() } };
  const place = placeAfter(desk, Math.max(0, from - 1));
  return place.ok ? { ok: true, value: { job, head: place.after } } : place;
}

export function watchEvents(
  desk: Desk,
  request: WatchRequest,
  after: number,
  now: number,
): Reply<Page> {
  const admitted = admitWatcher(desk, request, now);
  if (!admitted.ok) return admitted;
  const { session, owner: participant } = admitted.value;
  const query = { after, limit: LIMITS.pageEvents, types: NUMBERED_TYPES };
  return { ok: true, value: pageForReply(desk, query, { session, participant }) };
}

function admitActor(desk: Desk, credential: Credential, now: number): Reply<Received> {
  const received = receive(desk, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const attempt = { operation: "append", request: null, ifMatch: null } as const;
  const admitted = admit(session, participant, standing, credential.hash, attempt, now);
  return admitted.ok ? received : { ok: false, failure: admitted.error };
}

export function keepWatching(
  desk: Desk,
  credential: Credential,
  jobId: string,
  cursor: number | null,
  now: number,
): Reply<null> {
  return desk.store.transaction(() => {
    const admitted = admitActor(desk, credential, now);
    if (!admitted.ok) return admitted;
    const { watching = [] } = admitted.value.participant.arcp ?? {};
    const others = watching.filter((one) => one.jobId !== jobId);
    if (cursor !== null && others.length >= LIMITS.arcpSubscriptions) {
      const limit = LIMITS.arcpSubscriptions;
      return { ok: false, failure: { code: "too_large", what: "watched jobs", limit } };
    }
    saveWatching(desk, admitted.value, cursor === null ? others : [...others, { jobId, cursor }]);
    return { ok: true, value: null };
  });
}

function saveWatching(
  desk: Desk,
  { session, participant, participants, plan }: Received,
  watching: readonly { readonly jobId: string; readonly cursor: number }[],
): void {
  if (participant.arcp === undefined) return;
  const changed = { ...participant, arcp: { ...participant.arcp, watching } };
  const everybody = participants.map((one) => (one.number === changed.number ? changed : one));
  desk.store.update({ session, participants: everybody, plan });
}

/** Taken only where it follows what was copied before, so that two that copy cannot double an event. */
export function mirror(desk: Desk, request: MirrorRequest, now: number): Reply<null> {
  return fitting(() =>
    desk.store.transaction(() => {
      const admitted = admitActor(desk, request.credential, now);
      if (!admitted.ok) return admitted;
      const { session, participant } = admitted.value;
      const { watching = [] } = participant.arcp ?? {};
      const entry = watching.find((one) => one.jobId === request.jobId);
      if (entry?.cursor !== request.after) return { ok: true, value: null };
      const head = desk.store.jobHead();
      const facts = request.events.map(({ type, payload }, index) => ({
        type,
        payload: { ...payload, eventSeq: head + 1 + index, source: payload["eventSeq"] ?? null },
      }));
      if (facts.length > 0) {
        commitFacts(desk, session, facts, { number: participant.number, actor: SYSTEM }, now);
      }
      const moved = { jobId: request.jobId, cursor: request.upTo };
      saveWatching(
        desk,
        admitted.value,
        watching.map((one) => (one.jobId === request.jobId ? moved : one)),
      );
      return { ok: true, value: null };
    }),
  );
}

export function noteJob(
  desk: Desk,
  credential: Credential,
  number: number,
  event: JobEvent,
  now: number,
): boolean {
  return desk.store.transaction(() => {
    const admitted = admitActor(desk, credential, now);
    const stored = admitted.ok ? desk.jobs.get(number) : null;
    if (!admitted.ok || stored === null || !isOpen(stored.job)) return false;
    const change = note(stored.job, jobIdOf(hexOf(desk), number), event, desk.store.jobHead());
    commitFacts(desk, admitted.value.session, change.facts, { number: null, actor: SYSTEM }, now);
    desk.jobs.update(change.job);
    return true;
  });
}
