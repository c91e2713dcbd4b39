/** Submitting, reading and cancelling jobs, for participants of the session. */
import { expiryTime } from "../domain/session/expiry";
import { resolveAgent } from "../domain/jobs/agents";
import { isOpen, jobIdOf, viewJob, jobCapacityProblem } from "../domain/jobs/job";
import type { Job, JobView } from "../domain/jobs/job";
import {
  submissionBytes,
  cancellation,
  endWithError,
  submissionProblem,
  submit,
} from "../domain/jobs/job-rules";
import type { JobChange, JobSubmission } from "../domain/jobs/job-rules";
import { jsonBytes, type Json } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { isNarrowed } from "../domain/participants/narrowing";
import type { Session } from "../domain/session/session";
import type { Trace } from "../domain/log/trace";
import type { StoredJob } from "../storage/job-store";
import { commitChange, type Author } from "./commit";
import { hexOf, type SessionContext } from "./session-context";
import { findByKey, keyMismatch } from "./events";
import { ok, refuse } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import { admitTo, replyTo, identify, refusal, Viewer, type IdentifiedCaller } from "./gate";
import type { JobList, ListJobsRequest, JobReply, SubmittedJob } from "./job-messages";
import type { AuthenticatedRequest, NumberedRequest, Reply, RequestKey } from "./messages";

const jobReply = (viewer: Viewer, stored: StoredJob): JobReply => ({
  job: viewer.job(stored),
  expiresAt: expiryTime(viewer.session),
});

/** For a caller who may know that the job was submitted, but not how it ended. */
const jobOutline = (
  context: SessionContext,
  { session }: IdentifiedCaller,
  { job }: StoredJob,
): JobReply => ({
  job: viewJob({ ...job, outcome: null, lease: null }, hexOf(context), undefined),
  expiresAt: expiryTime(session),
});

interface SubmitRequest extends AuthenticatedRequest {
  readonly submission: JobSubmission;
  readonly key: RequestKey | null;
}

export function submitJob(
  context: SessionContext,
  request: SubmitRequest,
  now: number,
): Reply<SubmittedJob> {
  const { credential, submission, key } = request;
  const caller = identify(context, credential, now);
  if (!caller.ok) return caller;
  // Jobs are refused to it, also those that another participant submitted with the same key.
  const isRefused = isNarrowed(caller.value.session, caller.value.participant);
  const earlier = isRefused
    ? null
    : findByKey(caller.value, key, (_, hash) => context.jobs.byKey(hash));
  const known = earlier === null ? null : context.jobs.get(earlier.number);
  if (earlier !== null && known !== null) {
    if (earlier.request !== key?.request) return keyMismatch(context, caller.value, now);
    const viewer = Viewer.of(context, caller.value, now);
    const job =
      viewer === null ? jobOutline(context, caller.value, known) : jobReply(viewer, known);
    return replyTo(caller.value, { ...job, replayed: true });
  }
  const admitted = admitTo(context, request, "submitJob", now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const agents = context.agents();
  if (!agents.ok) return refusal(context, admitted.value, agents.error, now);
  const agent = resolveAgent(agents.value, submission.agent, session.belongs?.owner ?? null);
  if (!agent.ok) return refusal(context, admitted.value, agent.error, now);
  const number = context.jobs.count() + 1;
  const problem =
    submissionProblem(submission, now) ??
    jobCapacityProblem(context.jobs.countOpen(), context.jobs.waiting());
  if (problem !== null) return refusal(context, admitted.value, problem, now);
  const identity = { id: jobIdOf(hexOf(context), number), number, createdBy: participant.number };
  const policy = submission.closePolicy ?? participant.arcp?.closePolicy;
  const { job, events } = submit(
    { ...submission, closePolicy: policy },
    agent.value,
    identity,
    now,
  );
  const { trace } = credential;
  const extraWrites = () => context.jobs.insert(job, submission.input, key);
  const extraBytes = submissionBytes(submission);
  commitChange(context, session, now, { by: participant, events, trace, extraWrites, extraBytes });
  const stored = { job, result: undefined };
  return replyTo(caller.value, { ...jobReply(admitted.value, stored), replayed: false });
}

/** Stores changes of one or more jobs in one commit. No event moves the session's version. */
export function commitJobs(
  context: SessionContext,
  session: Session,
  changes: readonly (JobChange & { readonly result?: Json | undefined })[],
  by: Author,
  now: number,
  trace?: Trace,
): void {
  if (changes.length === 0) return;
  const events = changes.flatMap((change) => change.events);
  const extraWrites = () => {
    for (const { job, result } of changes) context.jobs.update(job, result);
  };
  const results = changes.map(({ result }) => (result === undefined ? 0 : jsonBytes(result)));
  const extraBytes = results.reduce((sum, bytes) => sum + bytes, 0);
  if (events.length === 0) context.store.transaction(extraWrites);
  else commitChange(context, session, now, { by, events, trace, extraWrites, extraBytes });
}

export function listJobs(
  context: SessionContext,
  request: ListJobsRequest,
  now: number,
): Reply<JobList> {
  const admitted = admitTo(context, request, "listJobs", now);
  if (!admitted.ok) return admitted;
  const jobs: JobView[] = [];
  let { after: next } = request;
  let [scanned, length] = [0, 0];
  // Results are long: one is read only if its job matches and the page has space for it.
  for (const job of context.jobs.after(next)) {
    const isFull = jobs.length === request.limit || length >= LIMITS.pageBytes;
    if (isFull || scanned === MAX_SCANNED) return { ok: true, value: { jobs, next } };
    scanned += 1;
    next = job.number;
    const stored = matches(job, request) ? context.jobs.get(next) : null;
    if (stored === null) continue;
    const view = admitted.value.job(stored);
    length += JSON.stringify(view).length;
    jobs.push(view);
  }
  return { ok: true, value: { jobs, next: null } };
}

/** Jobs read for one page, so that a filter that finds none cannot stall the object. */
const MAX_SCANNED = 2_000;

const matches = (job: Job, { status, agent, since, until }: ListJobsRequest): boolean =>
  (status === undefined || status.includes(job.status)) &&
  (agent === undefined || job.agent === agent || `${job.agent}@${job.version}` === agent) &&
  (since === undefined || job.createdAt >= since) &&
  (until === undefined || job.createdAt < until);

export const getJob = admittedHandler("getJob", (viewer, context, { number }: NumberedRequest) => {
  const stored = context.jobs.get(number);
  if (stored === null) return refuse(NO_JOB);
  return ok({ ...jobReply(viewer, stored), input: viewer.jobInput(number) });
});

type ReasonRequest = AuthenticatedRequest & { readonly reason?: string | undefined };

const NO_JOB = { code: "not_found", what: "job" } as const;

/** Takes effect at once, whether or not the executor calls again: its next response reports it. */
export const cancelJob = admittedHandler(
  "cancelJob",
  (viewer, context, request: NumberedRequest & ReasonRequest, now) => {
    const { credential, number, reason } = request;
    const { session, participant } = viewer;
    const stored = context.jobs.get(number);
    if (stored === null) return refuse(NO_JOB);
    if (stored.job.createdBy !== participant.number && !participant.scopes.includes("own")) {
      return refuse({ code: "scope_denied", needed: "own", why: "not_yours" });
    }
    // Cancelling an ended job changes nothing, and the response shows how it ended.
    if (!isOpen(stored.job)) return ok(jobReply(viewer, stored));
    const changes = cancellations(context, [stored.job], reason, now);
    commitJobs(context, session, changes, participant, now, credential.trace);
    const job = changes[0]?.job ?? stored.job;
    return ok(jobReply(viewer, { job, result: undefined }));
  },
);

export function cancellations(
  context: SessionContext,
  jobs: readonly Job[],
  reason: string | undefined,
  now: number,
): readonly JobChange[] {
  const head = context.store.jobHead();
  return jobs.map((job, index) => {
    const id = jobIdOf(hexOf(context), job.number);
    return endWithError(job, id, "cancelled", cancellation(reason), { head: head + index, now });
  });
}

/** Cancels the participant's jobs with the close policy `cancel`. Returns how many. */
export const cancelJobsOnClose = admittedHandler(
  "cancelJob",
  (viewer, context, request: ReasonRequest, now) => {
    const { session, participant } = viewer;
    const jobs = context.jobs
      .open()
      .filter((job) => job.closePolicy === "cancel" && job.createdBy === participant.number);
    const reason = request.reason ?? "The client closed the session.";
    const changes = cancellations(context, jobs, reason, now);
    commitJobs(context, session, changes, participant, now, request.credential.trace);
    return ok(changes.length);
  },
);
