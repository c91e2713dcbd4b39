/** Claiming a job and reporting on it. The session alone decides who holds a job. */
import { expiryProblem } from "../domain/participants/admission";
import { isExpired } from "../domain/session/expiry";
import { epochOf, jobIdOf, viewJob, type Job } from "../domain/jobs/job";
import { hasEndedByReport, isRepeatedEndReport } from "../domain/jobs/job-end";
import { claim, applyReport, reportProblem, jobTokenStatus } from "../domain/jobs/job-rules";
import type { JobReport } from "../domain/jobs/job-rules";
import type { Failure } from "../domain/failure";
import type { TokenHash } from "../domain/ids";
import type { Json } from "../domain/json";
import type { Trace } from "../domain/log/trace";
import { allowedOperations } from "../domain/session/operation";
import type { Session } from "../domain/session/session";
import { ok } from "../domain/result";
import { isTerminal } from "../domain/session/state";
import { hexOf, type SessionContext } from "./session-context";
import { GONE, loadExisting } from "./gate";
import type { ClaimedJob, JobCredential, ReportOutcome } from "./job-messages";
import type { Author } from "./commit";
import { commitJobs } from "./jobs";
import type { Reply } from "./messages";

/** An executor acts as the agent whose jobs it claims, without any scope in the session. */
const executorOf = ({ agent }: Job): Author => ({
  number: null,
  actor: { kind: "agent", id: agent },
  scopes: [],
});

interface ClaimRequest {
  readonly number: number;
  readonly agent: string;
  readonly token: TokenHash;
  readonly leaseMs: number;
  readonly trace?: Trace;
}

/** Returns null if there is nothing to claim, even if the queue offered it. */
export function claimJob(
  context: SessionContext,
  request: ClaimRequest,
  now: number,
): Reply<ClaimedJob | null> {
  const loaded = loadExisting(context, now);
  const stored = loaded === null ? null : context.jobs.get(request.number);
  if (loaded === null || stored === null || stored.job.agent !== request.agent) return NOTHING;
  const { session } = loaded;
  if (isTerminal(session.state) || isExpired(session, now)) return NOTHING;
  const { token, leaseMs, number, trace } = request;
  const change = claim(stored.job, jobIdOf(hexOf(context), number), { token, leaseMs, now });
  if (change === null) return NOTHING;
  // Written by the server: a full log must not keep executors from the jobs of others.
  commitJobs(context, session, [change], { ...executorOf(change.job), scopes: null }, now, trace);
  const job = viewJob(change.job, hexOf(context), undefined);
  const epoch = epochOf(change.job);
  return { ok: true, value: { job, input: context.jobs.input(number), epoch, leaseMs } };
}

const NOTHING = { ok: true, value: null } as const;

interface ReportRequest {
  readonly credential: JobCredential;
  /** Null if the report is malformed: then `problem` is set. */
  readonly report: JobReport | null;
  readonly problem?: Failure;
  /** Identity of a batch of events that came with a key. */
  readonly batch: string | null;
  readonly trace?: Trace;
}

export function reportJob(
  context: SessionContext,
  request: ReportRequest,
  now: number,
): Reply<ReportOutcome> {
  const { credential, report: reported, batch, trace } = request;
  const held = context.store.migrateIfAccepted(() => heldJob(context, credential, now));
  if (!held.ok) return held;
  const { session, job, tokenStatus } = held.value;
  if (tokenStatus === "fenced") return SUPERSEDED;
  if (reported === null) return { ok: false, failure: request.problem ?? { code: "internal" } };
  // Reported in every response until the executor stops; its reports meanwhile are not stored.
  if (tokenStatus === "cancelled") return reportReply(job, true, false);
  if (tokenStatus === "ended") {
    if (isRepeatedEndReport(job, held.value.result, reported)) return reportReply(job, false, true);
    const isOtherEnd = reported.what === "result" || reported.what === "error";
    return isOtherEnd && hasEndedByReport(job)
      ? illegalTransition(session, "job_ended")
      : SUPERSEDED;
  }
  if (isTerminal(session.state)) return illegalTransition(session);
  if (batch !== null && job.batches?.includes(batch)) return reportReply(job, false, true);
  const problem = reportProblem(reported);
  if (problem !== null) return { ok: false, failure: problem };
  const id = jobIdOf(hexOf(context), job.number);
  const change = applyReport(job, id, reported, { head: context.store.jobHead(), now, batch });
  const result =
    reported.what === "result" && reported.resultId === undefined
      ? (reported.result ?? null)
      : undefined;
  commitJobs(context, session, [{ ...change, result }], executorOf(job), now, trace);
  return reportReply(change.job, false, false);
}

interface HeldJob {
  readonly session: Session;
  readonly job: Job;
  readonly result: Json | undefined;
  readonly tokenStatus: ReturnType<typeof jobTokenStatus>;
}

function heldJob(context: SessionContext, credential: JobCredential, now: number): Reply<HeldJob> {
  const loaded = loadExisting(context, now);
  if (loaded === null) return GONE;
  const { session } = loaded;
  const stored = context.jobs.get(credential.number);
  const tokenStatus = stored === null ? "unknown" : jobTokenStatus(stored.job, credential, now);
  if (stored === null || tokenStatus === "unknown") {
    return { ok: false, failure: { code: "token_invalid" } };
  }
  const expired = expiryProblem(session, now);
  if (expired !== null) return { ok: false, failure: expired };
  return { ok: true, value: { session, ...stored, tokenStatus } };
}

const illegalTransition = ({ state: from }: Session, why?: "job_ended"): Reply<never> => ({
  ok: false,
  failure: {
    code: "illegal_transition",
    from,
    operation: "submitJob",
    allowed: allowedOperations(from),
    ...(why === undefined ? {} : { why }),
  },
});

const SUPERSEDED = { ok: false, failure: { code: "token_superseded" } } as const;

const reportReply = (
  job: Job,
  cancelRequested: boolean,
  replayed: boolean,
): Reply<ReportOutcome> => {
  const leaseExpiresAt = new Date(job.leaseExpiresAt ?? job.endedAt ?? 0).toISOString();
  return ok({ cancelRequested, leaseExpiresAt, replayed });
};
