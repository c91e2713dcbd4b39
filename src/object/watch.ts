/**
 * Watching a job of another session of the same principal. What is seen there is copied into the log
 * of the session that watches, with a number of its own: so its stream stays one, dense, and
 * replayable, whoever else's events are in it.
 */
import { SYSTEM } from "../domain/participants/actor";
import { expiryProblem, ownEndProblem } from "../domain/participants/admission";
import { isElsewhere } from "../domain/participants/binding";
import { tooLarge } from "../domain/failure";
import { isOpen, jobIdOf } from "../domain/jobs/job";
import { note, NUMBERED_TYPES, type JobEvent } from "../domain/jobs/job-rules";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { ArcpBinding } from "../domain/participants/participant";
import type { Loaded } from "../storage/session-store";
import type { StoredJob } from "../storage/job-store";
import { placeAfter, replaced } from "./arcp";
import { commitChange, SERVER, storeQuietly } from "./commit";
import { hexOf, type Room } from "./room";
import { admitTo, loadLiving, viewerOf, type Received, type Viewer } from "./gate";
import type { Watched, WatchRequest } from "./job-messages";
import { commitJobs } from "./jobs";
import type { Asked, Numbered, Page, Reply } from "./messages";

interface Watching {
  readonly stored: StoredJob;
  /** As the participant that the principal began with. */
  readonly viewer: Viewer;
}

const UNKNOWN = { ok: false, failure: { code: "not_found", what: "job" } } as const;

/** One answer for a job that does not exist and one that is somebody else's. */
export function admitWatcher(room: Room, request: WatchRequest, now: number): Reply<Watching> {
  const loaded = loadLiving(room, now);
  const owner = loaded?.participants.find(
    (one) =>
      one.arcp?.principal === request.principal &&
      !loaded.session.revoked.includes(one.number) &&
      !isElsewhere(one.bind, room.here(request.from)),
  );
  const stored = owner === undefined ? null : room.jobs.get(request.number);
  if (loaded === null || owner === undefined || stored === null) return UNKNOWN;
  const ended = ownEndProblem(owner, now) ?? expiryProblem(loaded.session, now);
  if (ended !== null) return { ok: false, failure: ended };
  const viewer = viewerOf(room, { ...loaded, participant: owner, standing: "newest" }, now);
  return { ok: true, value: { stored, viewer } };
}

/** The job, and the seq after which its events are to be read: from a number on, or from now on. */
export function watchJob(room: Room, request: WatchRequest, now: number): Reply<Watched> {
  const admitted = admitWatcher(room, request, now);
  if (!admitted.ok) return admitted;
  const { stored, viewer } = admitted.value;
  const { first = null } = request;
  const place =
    first === null
      ? ({ ok: true, value: room.store.head() } as const)
      : placeAfter(room, Math.max(0, first - 1));
  return place.ok ? { ok: true, value: { job: viewer.job(stored), head: place.value } } : place;
}

type ReadRequest = WatchRequest & { readonly after: number };

export function watchEvents(room: Room, request: ReadRequest, now: number): Reply<Page> {
  const admitted = admitWatcher(room, request, now);
  if (!admitted.ok) return admitted;
  const query = { after: request.after, limit: LIMITS.pageEvents, types: NUMBERED_TYPES };
  return { ok: true, value: admitted.value.viewer.page(query) };
}

type KeepRequest = Asked & { readonly jobId: string; readonly cursor: number | null };

/** Remembers up to where a job of another session was copied, or with null that it is watched no more. */
export function keepWatching(room: Room, request: KeepRequest, now: number): Reply<null> {
  const admitted = admitTo(room, request, "append", now);
  if (!admitted.ok) return admitted;
  const { jobId, cursor } = request;
  const { watching = [] } = admitted.value.participant.arcp ?? {};
  const others = watching.filter((one) => one.jobId !== jobId);
  if (cursor !== null && others.length >= LIMITS.arcpSubscriptions) {
    const what = "the number of watched jobs";
    return { ok: false, failure: tooLarge(what, LIMITS.arcpSubscriptions) };
  }
  const after = cursor === null ? others : [...others, { jobId, cursor }];
  storeQuietly(room, withWatching(admitted.value, after));
  return { ok: true, value: null };
}

function withWatching(received: Received, watching: NonNullable<ArcpBinding["watching"]>): Loaded {
  const { session, participant, plan } = received;
  const { arcp } = participant;
  const participants =
    arcp === undefined
      ? received.participants
      : replaced(received, { ...participant, arcp: { ...arcp, watching } });
  return { session, participants, plan };
}

/** Events of another session's job, copied into the log of one that watches it. */
interface MirrorRequest extends Asked {
  readonly jobId: string;
  /** The source's log is copied after this seq, up to that one. */
  readonly after: number;
  readonly upTo: number;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
}
/** Taken only where it follows what was copied before, so that two that copy cannot double an event. */
export function mirror(room: Room, request: MirrorRequest, now: number): Reply<null> {
  const admitted = admitTo(room, request, "append", now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const { watching = [] } = participant.arcp ?? {};
  const entry = watching.find((one) => one.jobId === request.jobId);
  if (entry?.cursor !== request.after) return { ok: true, value: null };
  const head = room.store.jobHead();
  const facts = request.events.map(({ type, payload }, index) => ({
    type,
    payload: { ...payload, eventSeq: head + 1 + index, source: payload["eventSeq"] ?? null },
  }));
  const moved = { jobId: request.jobId, cursor: request.upTo };
  const after = watching.map((one) => (one.jobId === request.jobId ? moved : one));
  const loaded = withWatching(admitted.value, after);
  if (facts.length === 0) storeQuietly(room, loaded);
  else {
    const by = { ...participant, actor: SYSTEM };
    const row = { ...loaded, adds: "nothing" } as const;
    commitChange(room, session, now, { by, facts, trace: request.credential.trace, row });
  }
  return { ok: true, value: null };
}

type NoteRequest = Numbered & { readonly event: JobEvent };

/** Something the runtime has to say about an open job; false where it is not open. */
export function noteJob(room: Room, request: NoteRequest, now: number): Reply<boolean> {
  const admitted = admitTo(room, request, "append", now);
  if (!admitted.ok) return admitted;
  const { number, event } = request;
  const stored = room.jobs.get(number);
  if (stored === null || !isOpen(stored.job)) return { ok: true, value: false };
  const change = note(stored.job, jobIdOf(hexOf(room), number), event, room.store.jobHead());
  commitJobs(room, admitted.value.session, [change], SERVER, now, request.credential.trace);
  return { ok: true, value: true };
}
