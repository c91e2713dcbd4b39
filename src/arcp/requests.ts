/** One answer a request of an established connection. Gives back what is wrong, where something is. */
import { invalid, type Failure } from "../domain/failure";
import { parseJobId } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import { LIMITS } from "../domain/limits";
import { parseAs } from "../protocol/json-guard";
import type { Connected } from "./connected";
import { jobPayload, listPayload, reasonPayload, submitPayload, type Envelope } from "./frame";
import { acceptedFrame, listedJob, subscribedFrame } from "./outgoing";

type Answer = (connected: Connected, message: Envelope) => Promise<Failure | null>;

export const answerRequest: Answer = async (connected, message) => {
  const answer = Object.hasOwn(ANSWERS, message.type) ? ANSWERS[message.type] : undefined;
  return answer === undefined
    ? invalid("this message type is not known", "type")
    : answer(connected, message);
};

const DEFAULT_LIMIT = 100;

async function submit(
  connected: Connected,
  { payload, trace_id: traceId }: Envelope,
): Promise<Failure | null> {
  const parsed = parseAs(submitPayload, payload);
  if (!parsed.ok) return parsed.error;
  const { agent, input = null, idempotency_key: key, ...wanted } = parsed.value;
  const { lease_request: lease, max_runtime_sec: seconds, close_policy: closePolicy } = wanted;
  const leaseUntil = wanted.lease_constraints?.expires_at;
  const submission = {
    agent,
    input,
    lease: lease ?? undefined,
    leaseUntil: leaseUntil ?? undefined,
    maxRuntimeMs: seconds == null ? undefined : Math.ceil(seconds * 1000),
    closePolicy: closePolicy ?? undefined,
    traceId: traceId ?? undefined,
  } as JobSubmission;
  const { gateways, taken } = connected;
  const reply = await gateways.jobs.submit(taken.presented, submission, key ?? null);
  if (!reply.ok) return reply.failure;
  connected.send(acceptedFrame(reply.value.job, traceId ?? null));
  return null;
}

/** The job that a message is about: named in the envelope or in the payload. */
const jobIn = (message: Envelope, named: string | null | undefined): string =>
  named ?? message.job_id ?? "";

const isOwn = ({ taken }: Connected, jobId: string): boolean =>
  parseJobId(jobId)?.objectIdHex === taken.presented.objectIdHex;

async function cancel(connected: Connected, message: Envelope): Promise<Failure | null> {
  const parsed = parseAs(jobPayload, message.payload);
  if (!parsed.ok) return parsed.error;
  const jobId = jobIn(message, parsed.value.job_id);
  if (!isOwn(connected, jobId)) return notOwn(connected, jobId);
  const { gateways, taken } = connected;
  const reply = await gateways.jobs.cancel(
    taken.presented,
    jobId,
    parsed.value.reason ?? undefined,
  );
  if (!reply.ok) return reply.failure;
  const { status, traceId, endedAt } = reply.value.job;
  if (status !== "cancelled") return invalid(`the job has already ended: ${status}`, "job_id");
  const payload = { job_id: jobId, cancelled_at: endedAt };
  connected.send({ type: "job.cancelled", job_id: jobId, trace_id: traceId, payload });
  return null;
}

/** Who watches a job may know that it exists; everybody else learns nothing. */
async function notOwn({ gateways, bearer }: Connected, jobId: string): Promise<Failure> {
  const watched = bearer === null ? null : await gateways.arcp.watch(bearer, jobId, null);
  if (watched?.ok === false && watched.failure.code === "scope_denied") return watched.failure;
  return watched?.ok === true
    ? { code: "scope_denied", needed: "own", why: "not_yours" }
    : { code: "not_found", what: "job" };
}

async function listJobs(connected: Connected, message: Envelope): Promise<Failure | null> {
  const parsed = parseAs(listPayload, message.payload);
  if (!parsed.ok) return parsed.error;
  const { filter, limit, cursor } = parsed.value;
  const { gateways, taken } = connected;
  const reply = await gateways.jobs.list(taken.presented, {
    after: Number(cursor ?? 0),
    limit: limit ?? DEFAULT_LIMIT,
    status: filter?.status ?? undefined,
    agent: filter?.agent ?? undefined,
    since: filter?.created_after ?? undefined,
    until: filter?.created_before ?? undefined,
  });
  if (!reply.ok) return reply.failure;
  const { jobs, next } = reply.value;
  const payload = {
    request_id: message.id,
    jobs: jobs.map(listedJob),
    next_cursor: next === null ? null : String(next),
  };
  connected.send({ type: "session.jobs", payload });
  return null;
}

async function subscribe(connected: Connected, message: Envelope): Promise<Failure | null> {
  const parsed = parseAs(jobPayload, message.payload);
  if (!parsed.ok) return parsed.error;
  const jobId = jobIn(message, parsed.value.job_id);
  const { gateways, taken, bearer, watchers } = connected;
  if (isOwn(connected, jobId)) {
    const own = await gateways.jobs.get(taken.presented, jobId);
    if (!own.ok) return own.failure;
    // Its events are in this stream already.
    connected.send(subscribedFrame(own.value.job, own.value.job.lastEventSeq + 1, false));
    return null;
  }
  const { history, from_event_seq: given } = parsed.value;
  const isReplayed = history === true || typeof given === "number";
  const from = isReplayed ? Math.max(1, given ?? 1) : null;
  const watched = bearer === null ? null : await gateways.arcp.watch(bearer, jobId, from);
  if (watched === null) return { code: "not_found", what: "job" };
  if (!watched.ok) return watched.failure;
  const { job, head } = watched.value;
  if (!watchers.has(jobId)) {
    const kept = await gateways.arcp.keepWatching(taken.presented, jobId, head);
    if (!kept.ok) return kept.failure;
  }
  connected.send(subscribedFrame(job, from ?? job.lastEventSeq + 1, isReplayed));
  watchers.start(jobId, head);
  return null;
}

async function unsubscribe(connected: Connected, message: Envelope): Promise<Failure | null> {
  const parsed = parseAs(jobPayload, message.payload);
  if (!parsed.ok) return parsed.error;
  const jobId = jobIn(message, parsed.value.job_id);
  connected.watchers.stop(jobId);
  const { gateways, taken } = connected;
  const reply = await gateways.arcp.keepWatching(taken.presented, jobId, null);
  return reply.ok ? null : reply.failure;
}

/** Goodbye. Jobs go on unless their policy says otherwise, and the session can be resumed. */
async function close(connected: Connected, { payload }: Envelope): Promise<Failure | null> {
  const parsed = parseAs(reasonPayload, payload);
  if (!parsed.ok) return parsed.error;
  const reason = parsed.value.reason?.slice(0, LIMITS.textLength);
  const { gateways, taken } = connected;
  const reply = await gateways.jobs.close(taken.presented, reason);
  if (!reply.ok) return reply.failure;
  connected.send({ type: "session.closed", payload: reason === undefined ? {} : { reason } });
  connected.close("closed");
  return null;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  "job.submit": submit,
  "job.cancel": cancel,
  "job.subscribe": subscribe,
  "job.unsubscribe": unsubscribe,
  "session.list_jobs": listJobs,
  "session.bye": close,
  "session.close": close,
};

/** Is this a message that the server knows by name? */
export const isRequest = (type: string): boolean =>
  type === "session.hello" || type === "session.resume" || Object.hasOwn(ANSWERS, type);
