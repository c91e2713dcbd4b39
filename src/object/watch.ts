/**
 * Watching a job of another session of the same principal. Its events are copied into the log of
 * the watching session, with numbers of their own. So the stream of that session stays single,
 * dense and replayable, even with events from elsewhere in it.
 */
import { SYSTEM } from "../domain/participants/actor";
import { expiryProblem, participantExpiryProblem } from "../domain/participants/admission";
import { isOutsideBinding } from "../domain/participants/binding";
import { isNarrowed } from "../domain/participants/narrowing";
import { tooLarge } from "../domain/failure";
import { isOpen, jobIdOf } from "../domain/jobs/job";
import { addJobEvent, NUMBERED_TYPES, type JobEvent } from "../domain/jobs/job-rules";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { ArcpBinding } from "../domain/participants/participant";
import type { LoadedSession } from "../storage/session-store";
import type { StoredJob } from "../storage/job-store";
import { positionAfter, withParticipant } from "./arcp";
import { commitChange, SERVER, saveWithoutEvent } from "./commit";
import { hexOf, type SessionContext } from "./session-context";
import { admitTo, loadExisting, requireViewer, type IdentifiedCaller, type Viewer } from "./gate";
import type { WatchedJob, WatchRequest } from "./job-messages";
import { commitJobs } from "./jobs";
import type { AuthenticatedRequest, NumberedRequest, EventPage, Reply } from "./messages";

interface AdmittedWatcher {
  readonly stored: StoredJob;
  /** As the participant with which the principal created the session. */
  readonly viewer: Viewer;
}

const UNKNOWN_JOB = { ok: false, failure: { code: "not_found", what: "job" } } as const;

/** The same response for a job that does not exist and one of another principal. */
export function admitWatcher(
  context: SessionContext,
  request: WatchRequest,
  now: number,
): Reply<AdmittedWatcher> {
  const loaded = loadExisting(context, now);
  const owner = loaded?.participants.find(
    (one) =>
      one.arcp?.principal === request.principal &&
      // Jobs are refused to it, in this session and from another.
      !isNarrowed(loaded.session, one) &&
      !loaded.session.revoked.includes(one.number) &&
      !isOutsideBinding(one.bind, context.resolveOrigin(request.from)),
  );
  const stored = owner === undefined ? null : context.jobs.get(request.number);
  if (loaded === null || owner === undefined || stored === null) return UNKNOWN_JOB;
  const ended = participantExpiryProblem(owner, now) ?? expiryProblem(loaded.session, now);
  if (ended !== null) return { ok: false, failure: ended };
  const viewer = requireViewer(
    context,
    { ...loaded, participant: owner, tokenStatus: "newest" },
    now,
  );
  return { ok: true, value: { stored, viewer } };
}

/** The job, and the seq after which to read its events: from a number on, or from now on. */
export function watchJob(
  context: SessionContext,
  request: WatchRequest,
  now: number,
): Reply<WatchedJob> {
  const admitted = admitWatcher(context, request, now);
  if (!admitted.ok) return admitted;
  const { stored, viewer } = admitted.value;
  const { first = null } = request;
  const position =
    first === null
      ? ({ ok: true, value: context.store.head() } as const)
      : positionAfter(context, Math.max(0, first - 1));
  return position.ok
    ? { ok: true, value: { job: viewer.job(stored), head: position.value } }
    : position;
}

type ReadRequest = WatchRequest & { readonly after: number };

export function watchEvents(
  context: SessionContext,
  request: ReadRequest,
  now: number,
): Reply<EventPage> {
  const admitted = admitWatcher(context, request, now);
  if (!admitted.ok) return admitted;
  const query = { after: request.after, limit: LIMITS.pageEvents, types: NUMBERED_TYPES };
  return { ok: true, value: admitted.value.viewer.page(query) };
}

type SaveCursorRequest = AuthenticatedRequest & {
  readonly jobId: string;
  readonly cursor: number | null;
};

/** Stores up to where a job of another session was copied. Null ends the watch. */
export function saveWatchCursor(
  context: SessionContext,
  request: SaveCursorRequest,
  now: number,
): Reply<null> {
  const admitted = admitTo(context, request, "append", now);
  if (!admitted.ok) return admitted;
  const { jobId, cursor } = request;
  const { watching = [] } = admitted.value.participant.arcp ?? {};
  const others = watching.filter((one) => one.jobId !== jobId);
  if (cursor !== null && others.length >= LIMITS.arcpSubscriptions) {
    const what = "the number of watched jobs";
    return { ok: false, failure: tooLarge(what, LIMITS.arcpSubscriptions) };
  }
  const after = cursor === null ? others : [...others, { jobId, cursor }];
  saveWithoutEvent(context, withWatching(admitted.value, after));
  return { ok: true, value: null };
}

function withWatching(
  caller: IdentifiedCaller,
  watching: NonNullable<ArcpBinding["watching"]>,
): LoadedSession {
  const { session, participant, plan } = caller;
  const { arcp } = participant;
  const participants =
    arcp === undefined
      ? caller.participants
      : withParticipant(caller, { ...participant, arcp: { ...arcp, watching } });
  return { session, participants, plan };
}

/** Copies events of another session's job into the log of the session that watches it. */
interface MirrorRequest extends AuthenticatedRequest {
  readonly jobId: string;
  /** The source's log is copied after this seq, up to that one. */
  readonly after: number;
  readonly upTo: number;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
}
/**
 * Accepted only if it follows what was copied before, so that two writers cannot duplicate an
 * event.
 */
export function mirrorEvents(
  context: SessionContext,
  request: MirrorRequest,
  now: number,
): Reply<null> {
  const admitted = admitTo(context, request, "append", now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const { watching = [] } = participant.arcp ?? {};
  const entry = watching.find((one) => one.jobId === request.jobId);
  if (entry?.cursor !== request.after) return { ok: true, value: null };
  const head = context.store.jobHead();
  const events = request.events.map(({ type, payload }, index) => ({
    type,
    payload: { ...payload, eventSeq: head + 1 + index, source: payload["eventSeq"] ?? null },
  }));
  const moved = { jobId: request.jobId, cursor: request.upTo };
  const after = watching.map((one) => (one.jobId === request.jobId ? moved : one));
  const loaded = withWatching(admitted.value, after);
  if (events.length === 0) saveWithoutEvent(context, loaded);
  else {
    const by = { ...participant, actor: SYSTEM };
    const row = { ...loaded, adds: "nothing" } as const;
    commitChange(context, session, now, { by, events, trace: request.credential.trace, row });
  }
  return { ok: true, value: null };
}

type JobEventRequest = NumberedRequest & { readonly event: JobEvent };

/** An event of the runtime about an open job. Returns false if the job is not open. */
export function recordJobEvent(
  context: SessionContext,
  request: JobEventRequest,
  now: number,
): Reply<boolean> {
  const admitted = admitTo(context, request, "append", now);
  if (!admitted.ok) return admitted;
  const { number, event } = request;
  const stored = context.jobs.get(number);
  if (stored === null || !isOpen(stored.job)) return { ok: true, value: false };
  const change = addJobEvent(
    stored.job,
    jobIdOf(hexOf(context), number),
    event,
    context.store.jobHead(),
  );
  commitJobs(context, admitted.value.session, [change], SERVER, now, request.credential.trace);
  return { ok: true, value: true };
}
