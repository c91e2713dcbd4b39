/** Submitting, looking at and cancelling jobs, for those who take part in the session. */
import { expiryProblem, type Credential } from "../domain/admission";
import type { Actor } from "../domain/actor";
import { resolveAgent, type AgentEntry } from "../domain/agents";
import { numberEvents } from "../domain/commit";
import type { NewEvent } from "../domain/event";
import { encodeEvents } from "../domain/event-line";
import { expiryTime } from "../domain/expiry";
import { objectIdHexOf } from "../domain/ids";
import { isOpen, jobIdOf, viewJob, type Job, type JobView } from "../domain/job";
import { cancelled, end, submissionProblem, submit, type JobChange } from "../domain/job-rules";
import { LIMITS } from "../domain/limits";
import type { Session } from "../domain/session";
import type { StoredJob } from "../storage/job-store";
import type {
  CancelJobRequest,
  JobContent,
  JobList,
  ListJobsRequest,
  ShownJob,
  SubmitJobRequest,
  Submitted,
} from "./job-messages";
import type { Reply } from "./messages";
import { admitTo, fitting, receive, refusal, storeCommit, type Desk } from "./reception";

export const hexOf = ({ id }: Pick<Desk, "id">): string => objectIdHexOf(id) ?? "";

export const showJob = (desk: Desk, { job, result }: StoredJob): JobView =>
  viewJob(job, hexOf(desk), result);

const shown = (desk: Desk, session: Session, stored: StoredJob): ShownJob => ({
  job: showJob(desk, stored),
  expiresAt: expiryTime(session),
});

export function submitJob(
  desk: Desk,
  request: SubmitJobRequest,
  agents: readonly AgentEntry[],
  now: number,
): Reply<Submitted> {
  return fitting(() =>
    desk.store.transaction(() => submitInTransaction(desk, request, agents, now)),
  );
}

function submitInTransaction(
  desk: Desk,
  { credential, submission, key }: SubmitJobRequest,
  agents: readonly AgentEntry[],
  now: number,
): Reply<Submitted> {
  const received = receive(desk, credential, now);
  if (!received.ok) return received;
  const { session, participant, standing } = received.value;
  const earlier = key !== null && standing !== "fenced" ? desk.jobs.byKey(key.hash) : null;
  const known = earlier === null ? null : desk.jobs.get(earlier.number);
  if (earlier !== null && known !== null) {
    if (earlier.request === key?.request) {
      return { ok: true, value: { ...shown(desk, session, known), replayed: true } };
    }
    const mismatch = { code: "idempotency_mismatch", why: "other_request" } as const;
    return refusal(desk, received.value, expiryProblem(session, participant, now) ?? mismatch);
  }
  const admitted = admitTo(desk, credential, "submitJob", now);
  if (!admitted.ok) return admitted;
  const agent = resolveAgent(agents, submission.agent);
  if (!agent.ok) return refusal(desk, received.value, agent.error);
  const number = desk.jobs.count() + 1;
  const problem =
    submissionProblem(submission, now) ??
    (number > LIMITS.jobs
      ? ({ code: "too_large", what: "the number of jobs", limit: LIMITS.jobs } as const)
      : null);
  if (problem !== null) return refusal(desk, received.value, problem);
  const place = { id: jobIdOf(hexOf(desk), number), number, createdBy: participant.number };
  const policy = submission.closePolicy ?? participant.arcp?.closePolicy;
  const change = submit({ ...submission, closePolicy: policy }, agent.value, place, now);
  commitFacts(desk, session, change.facts, participant, now);
  desk.jobs.insert(change.job, submission.input, key);
  const stored = { job: change.job, result: undefined };
  return { ok: true, value: { ...shown(desk, session, stored), replayed: false } };
}

/** One commit row for what happened to one or more jobs; no event moves the session's version. */
export function commitFacts(
  desk: Desk,
  session: Session,
  facts: readonly NewEvent[],
  by: { readonly number: number | null; readonly actor: Actor },
  now: number,
): void {
  const commit = numberEvents(session, desk.store.head(), facts, by.actor, now);
  const text = encodeEvents(commit.events);
  storeCommit(desk, { commit, text, at: now, participant: by.number, issued: [] });
}

export function listJobs(desk: Desk, request: ListJobsRequest, now: number): Reply<JobList> {
  const admitted = admitTo(desk, request.credential, "listJobs", now);
  if (!admitted.ok) return admitted;
  const found: JobView[] = [];
  for (let { after } = request; ; ) {
    const page = desk.jobs.list(after, request.limit);
    for (const stored of page) {
      after = stored.job.number;
      if (matches(stored.job, request)) found.push(showJob(desk, stored));
      if (found.length === request.limit) {
        const isLast = desk.jobs.list(after, 1).length === 0;
        return { ok: true, value: { jobs: found, next: isLast ? null : after } };
      }
    }
    if (page.length < request.limit) return { ok: true, value: { jobs: found, next: null } };
  }
}

const matches = (job: Job, { status, agent, since, until }: ListJobsRequest): boolean =>
  (status === undefined || status.includes(job.status)) &&
  (agent === undefined || job.agent === agent || `${job.agent}@${job.version}` === agent) &&
  (since === undefined || job.createdAt >= since) &&
  (until === undefined || job.createdAt < until);

export function getJob(
  desk: Desk,
  credential: Credential,
  number: number,
  now: number,
): Reply<JobContent> {
  const admitted = admitTo(desk, credential, "getJob", now);
  if (!admitted.ok) return admitted;
  const stored = desk.jobs.get(number);
  if (stored === null) {
    return refusal(desk, admitted.value, { code: "not_found", what: "job" });
  }
  const job = shown(desk, admitted.value.session, stored);
  return { ok: true, value: { ...job, input: desk.jobs.input(number) } };
}

export function cancelJob(desk: Desk, request: CancelJobRequest, now: number): Reply<ShownJob> {
  return fitting(() => desk.store.transaction(() => cancelInTransaction(desk, request, now)));
}

/** At once, whether or not its executor is heard of again: that one is told with its next answer. */
function cancelInTransaction(
  desk: Desk,
  { credential, number, reason }: CancelJobRequest,
  now: number,
): Reply<ShownJob> {
  const admitted = admitTo(desk, credential, "cancelJob", now);
  if (!admitted.ok) return admitted;
  const { session, participant } = admitted.value;
  const stored = desk.jobs.get(number);
  if (stored === null) return refusal(desk, admitted.value, { code: "not_found", what: "job" });
  if (stored.job.createdBy !== participant.number && !participant.scopes.includes("own")) {
    const denied = { code: "scope_denied", needed: "own", why: "not_yours" } as const;
    return refusal(desk, admitted.value, denied);
  }
  // Cancelling what has ended changes nothing, and the answer shows how it ended.
  if (!isOpen(stored.job)) return { ok: true, value: shown(desk, session, stored) };
  const job = endJobs(desk, session, [stored.job], reason, participant, now)[0] ?? stored.job;
  return { ok: true, value: shown(desk, session, { job, result: undefined }) };
}

/** Cancels jobs in one commit. */
function endJobs(
  desk: Desk,
  session: Session,
  jobs: readonly Job[],
  reason: string | undefined,
  by: { readonly number: number | null; readonly actor: Actor },
  now: number,
): readonly Job[] {
  const changes = cancellations(desk, jobs, reason, now);
  if (changes.length === 0) return [];
  commitFacts(
    desk,
    session,
    changes.flatMap(({ facts }) => facts),
    by,
    now,
  );
  for (const { job } of changes) desk.jobs.update(job);
  return changes.map(({ job }) => job);
}

export function cancellations(
  desk: Desk,
  jobs: readonly Job[],
  reason: string | undefined,
  now: number,
): readonly JobChange[] {
  const head = desk.store.jobHead();
  return jobs.map((job, index) => {
    const id = jobIdOf(hexOf(desk), job.number);
    return end(job, id, "cancelled", cancelled(reason), { head: head + index, now });
  });
}

/** The client said goodbye: jobs that were to end with it do. Says how many. */
export function closeJobs(
  desk: Desk,
  credential: Credential,
  reason: string | undefined,
  now: number,
): Reply<number> {
  return desk.store.transaction(() => {
    const admitted = admitTo(desk, credential, "cancelJob", now);
    if (!admitted.ok) return admitted;
    const { session, participant } = admitted.value;
    const jobs = desk.jobs
      .open()
      .filter((job) => job.closePolicy === "cancel" && job.createdBy === participant.number);
    const ended = endJobs(
      desk,
      session,
      jobs,
      reason ?? "The client closed the session.",
      participant,
      now,
    );
    return { ok: true, value: ended.length };
  });
}
