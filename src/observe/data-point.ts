/**
 * What is counted in Analytics Engine: one fixed order of columns for every kind, so that one table can
 * be queried for all of them. Never a token, a code, or text from a client.
 */
import type { Commit } from "../domain/log/commit";
import { CREATOR } from "../domain/session/create";
import type { LogEvent } from "../domain/log/event";
import { objectIdHexOf, participantId, type SessionId } from "../domain/ids";
import { parseJobId } from "../domain/jobs/job";

/** The argument of `writeDataPoint`. */
interface DataPoint {
  readonly indexes: [string];
  readonly blobs: string[];
  readonly doubles: number[];
}

export interface Measure {
  /** `request`, `operation`, or what happened in a session. The platform also samples by it. */
  readonly name: string;
  readonly route?: string | undefined;
  /** The tool or message, if one route has several. */
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly sessionId?: SessionId | undefined;
  /** The participant it is about, such as `par_3`. */
  readonly participant?: string | undefined;
  /** `agent`, `human` or `system`. */
  readonly actorKind?: string | undefined;
  /** A name of the operator's own list. */
  readonly owner?: string | undefined;
  /** The duration, or how late it was. */
  readonly ms?: number | undefined;
  readonly objectMs?: number | undefined;
  readonly status?: number | undefined;
}

export const toDataPoint = (measure: Measure): DataPoint => ({
  indexes: [measure.name],
  blobs: [
    measure.name,
    measure.route ?? "",
    measure.method ?? "",
    measure.outcome ?? "",
    measure.code ?? "",
    measure.sessionId ?? "",
    measure.participant ?? "",
    measure.actorKind ?? "",
    measure.operation ?? "",
    measure.owner ?? "",
  ],
  doubles: [measure.ms ?? 0, measure.objectMs ?? 0, measure.status ?? 0],
});

/** The names of what is counted, by event type. */
const COUNTED: Readonly<Record<string, string>> = {
  "session.created": "session.created",
  "session.expired": "session.expired",
  "handoff.created": "handoff.made",
  "handoff.opened": "handoff.opened",
  "job.submitted": "job.submitted",
  "job.started": "job.started",
  "job.requeued": "job.requeued",
  "job.result": "job.succeeded",
  "job.error": "job.failed",
};

export const COUNTED_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(COUNTED),
  "session.resumed",
  "handoff.completed",
]);

/** The events that complete the task of a participant who was handed the session. */
const COMPLETING: ReadonlySet<string> = new Set([
  "session.submitted",
  "session.finalized",
  "review.approved",
  "review.rejected",
  "review.changes_requested",
]);

/** What one commit counts as. Most commits count as nothing. */
export function measuresOf(
  { events }: Pick<Commit, "events">,
  participant: number | null,
  sessionId: SessionId,
): readonly Measure[] {
  const found: Measure[] = [];
  for (const event of events) {
    const name = nameOf(event, sessionId);
    if (name !== null) found.push(measureOf(name, event, participant, sessionId));
  }
  const last = events.findLast((event) => completes(event, participant));
  if (last !== undefined) found.push(measureOf("handoff.completed", last, participant, sessionId));
  return found;
}

function nameOf({ type, payload }: LogEvent, sessionId: SessionId): string | null {
  if (type === "token.accessed") return payload["by"] === "resume" ? "session.resumed" : null;
  if (type === "handoff.created" && isReissued(payload)) return null;
  // A session that watches another's job has copies of its events; they are counted there.
  if (type.startsWith("job.") && !isOwnJob(payload["jobId"], sessionId)) return null;
  return Object.hasOwn(COUNTED, type) ? (COUNTED[type] ?? null) : null;
}

/** The handoff was already counted when it was created. */
export const isReissued = (payload: LogEvent["payload"]): boolean =>
  payload["cause"] === "handoff.reissued";

export const isOwnJob = (jobId: unknown, sessionId: SessionId): boolean =>
  typeof jobId === "string" && parseJobId(jobId)?.objectIdHex === objectIdHexOf(sessionId);

/** By a participant who was handed the session; a person's save already counts. */
const completes = ({ type, actor }: LogEvent, participant: number | null): boolean =>
  participant !== null &&
  participant !== CREATOR &&
  (COMPLETING.has(type) || (actor.kind === "human" && type === "fields.updated"));

const measureOf = (
  name: string,
  { at, actor, payload }: LogEvent,
  participant: number | null,
  sessionId: SessionId,
): Measure => ({
  name,
  sessionId,
  participant: participantOf(name, payload["participant"], participant),
  actorKind: actor.kind,
  ms: name === "session.expired" ? Date.parse(at) - Date.parse(String(payload["expiresAt"])) : 0,
});

/** A new handoff counts for its recipient, anything else for the actor. */
function participantOf(name: string, named: unknown, acting: number | null): string | undefined {
  if (name === "handoff.made" && typeof named === "string") return named;
  return acting === null ? undefined : participantId(acting);
}
