/**
 * The rules of a job. Each returns the events for the log and the job after them. Events that a
 * client replays by number (`job.event`, `job.result`, `job.error`) contain that number in their
 * payload. It counts without gaps over all jobs of the session.
 */
import { omitUndefined } from "../result";
import type { NewServerEvent } from "../log/event";
import { invalid, tooLarge, type Failure } from "../failure";
import type { TokenHash } from "../ids";
import { jsonBytes, type Json, type JsonObject } from "../json";
import { agentOf, deadlineOf, epochOf, isOpen } from "./job";
import type { ClosePolicy, Job, JobFailure, JobStatus } from "./job";
import { LIMITS } from "../limits";

/** The types that have their own numbering. */
export const NUMBERED_TYPES = ["job.event", "job.result", "job.error"] as const;

export const isNumbered = (type: string): boolean =>
  (NUMBERED_TYPES as readonly string[]).includes(type);

export interface JobChange {
  readonly events: readonly NewServerEvent[];
  readonly job: Job;
}

export interface JobSubmission {
  /** `name` or `name@version`. */
  readonly agent: string;
  readonly input: Json;
  readonly maxRuntimeMs?: number | undefined;
  readonly closePolicy?: ClosePolicy | undefined;
  readonly lease?: JsonObject | undefined;
  readonly leaseUntil?: number | undefined;
  readonly traceId?: string | undefined;
}

export interface JobEvent {
  readonly kind: string;
  readonly body: JsonObject;
}

/** A report of an executor. */
export type JobReport =
  | { readonly what: "heartbeat" }
  | { readonly what: "events"; readonly events: readonly JobEvent[] }
  | {
      readonly what: "result";
      readonly result?: Json | undefined;
      readonly resultId?: string | undefined;
      readonly resultSize?: number | undefined;
      readonly summary?: string | undefined;
    }
  | ({ readonly what: "error" } & JobFailure);

export interface ResolvedAgent {
  readonly name: string;
  readonly version: string | null;
}

/** The bytes that are stored outside the log. */
export const submissionBytes = ({ input, lease }: JobSubmission): number =>
  jsonBytes(input) + (lease === undefined ? 0 : jsonBytes(lease));

export function submissionProblem(submission: JobSubmission, now: number): Failure | null {
  if (submissionBytes(submission) > LIMITS.jobInputBytes) {
    return tooLarge("a job's input, in bytes", LIMITS.jobInputBytes);
  }
  if (submission.leaseUntil !== undefined && submission.leaseUntil <= now) {
    return invalid("the lease has already expired", "leaseUntil");
  }
  return null;
}

export function submit(
  submission: JobSubmission,
  { name, version }: ResolvedAgent,
  target: { readonly id: string; readonly number: number; readonly createdBy: number },
  now: number,
): JobChange {
  const job: Job = {
    number: target.number,
    agent: name,
    version,
    status: "pending",
    createdBy: target.createdBy,
    createdAt: now,
    closePolicy: submission.closePolicy ?? "keep",
    maxRuntimeMs: submission.maxRuntimeMs ?? null,
    lease: submission.lease ?? null,
    leaseUntil: submission.leaseUntil ?? null,
    traceId: submission.traceId ?? null,
    tokens: [],
    leaseMs: 0,
    leaseExpiresAt: null,
    startedAt: null,
    endedAt: null,
    offered: false,
    lastEventSeq: 0,
    outcome: null,
  };
  const payload = {
    jobId: target.id,
    agent: agentOf(job),
    closePolicy: job.closePolicy,
    ...(job.maxRuntimeMs === null ? {} : { maxRuntimeMs: job.maxRuntimeMs }),
  };
  return { events: [{ type: "job.submitted", payload }], job };
}

/** Null if there is nothing to claim. An offer of the queue is only a hint. */
export function claim(
  job: Job,
  id: string,
  {
    token,
    leaseMs,
    now,
  }: { readonly token: TokenHash; readonly leaseMs: number; readonly now: number },
): JobChange | null {
  const deadline = deadlineOf(job);
  if (job.status !== "pending" || (deadline !== null && now >= deadline.at)) return null;
  const tokens = [...job.tokens, token];
  const started: Job = {
    ...job,
    status: "running",
    tokens,
    leaseMs,
    leaseExpiresAt: now + leaseMs,
    startedAt: job.startedAt ?? now,
    batches: [],
  };
  const payload = { jobId: id, attempt: tokens.length, leaseMs };
  return { events: [{ type: "job.started", payload }], job: started };
}

type JobTokenStatus = "current" | "cancelled" | "ended" | "fenced" | "unknown";

/** The status of a job token, from its epoch, its hash and the clock. */
export function jobTokenStatus(
  job: Job,
  { epoch, hash }: { readonly epoch: number; readonly hash: TokenHash },
  now: number,
): JobTokenStatus {
  if (job.tokens[epoch - 1] !== hash) return "unknown";
  if (epoch !== epochOf(job)) return "fenced";
  if (job.status === "cancelled") return "cancelled";
  if (!isOpen(job)) return "ended";
  const deadline = deadlineOf(job)?.at ?? Infinity;
  const isLate = now >= (job.leaseExpiresAt ?? 0) || now >= deadline;
  return job.status !== "running" || isLate ? "fenced" : "current";
}

export function reportProblem(report: JobReport): Failure | null {
  if (report.what === "result" && jsonBytes(report.result ?? null) > LIMITS.eventBytes) {
    return tooLarge("an inline result, in bytes", LIMITS.eventBytes);
  }
  if (report.what !== "events") return null;
  const large = report.events.findIndex(({ body }) => jsonBytes(body) > LIMITS.eventBytes);
  return large === -1 ? null : tooLarge(`events[${large}].body, in bytes`, LIMITS.eventBytes);
}

/** `head` is the number of the session's last numbered event. */
export function applyReport(
  job: Job,
  id: string,
  report: JobReport,
  {
    head,
    now,
    batch,
  }: { readonly head: number; readonly now: number; readonly batch: string | null },
): JobChange {
  const renewed: Job = { ...job, leaseExpiresAt: now + job.leaseMs };
  switch (report.what) {
    case "heartbeat":
      return { events: [], job: renewed };
    case "events": {
      const events = report.events.map(
        ({ kind, body }, index): NewServerEvent<"job.event"> => ({
          type: "job.event",
          payload: { ...numberedPayload(job, id, head + 1 + index), kind, body },
        }),
      );
      const latest = batch === null ? [] : [batch];
      const batches = [...(job.batches ?? []), ...latest].slice(-LIMITS.jobBatches);
      return { events, job: { ...renewed, lastEventSeq: head + events.length, batches } };
    }
    case "result": {
      const { summary, resultId, resultSize, result } = report;
      const outcome = omitUndefined({ summary, resultId, resultSize });
      const resultMember = resultId === undefined ? { result: result ?? null } : {};
      const payload = {
        ...numberedPayload(job, id, head + 1),
        finalStatus: "success" as const,
        ...resultMember,
        ...outcome,
      };
      const events = [{ type: "job.result", payload }] as const;
      const ended = { ...job, status: "success", endedAt: now, lastEventSeq: head + 1 } as const;
      return { events, job: { ...ended, outcome } };
    }
    case "error": {
      const { code, message, retryable } = report;
      const status = code === "CANCELLED" ? "cancelled" : "error";
      return endWithError(job, id, status, { code, message, retryable }, { head, now });
    }
  }
}

/** Adds an event that the server itself writes about a job. */
export const addJobEvent = (
  job: Job,
  id: string,
  { kind, body }: JobEvent,
  head: number,
): JobChange => ({
  events: [{ type: "job.event", payload: { ...numberedPayload(job, id, head + 1), kind, body } }],
  job: { ...job, lastEventSeq: head + 1 },
});

/** The members that every numbered event starts with. */
const numberedPayload = ({ traceId }: Job, jobId: string, eventSeq: number) => ({
  eventSeq,
  jobId,
  ...(traceId === null ? {} : { traceId }),
});

/** Ends the job without a result. */
export function endWithError(
  job: Job,
  id: string,
  status: Exclude<JobStatus, "pending" | "running" | "success">,
  error: JobFailure,
  { head, now }: { readonly head: number; readonly now: number },
  extra: { readonly attempts?: number } = {},
): JobChange {
  const outcome = status === "cancelled" ? ("success" as const) : ("failure" as const);
  const payload = {
    ...numberedPayload(job, id, head + 1),
    finalStatus: status,
    ...error,
    ...extra,
    outcome,
  };
  return {
    events: [{ type: "job.error", payload }],
    job: { ...job, status, endedAt: now, lastEventSeq: head + 1, outcome: { error } },
  };
}

export const cancellation = (reason: string | undefined): JobFailure => ({
  code: "CANCELLED",
  message: reason === undefined || reason === "" ? "The job was cancelled." : reason,
  retryable: false,
});

/** Handles an open job in the alarm: a deadline has passed, or the executor's lease has expired. */
export function decideOverdue(
  job: Job,
  id: string,
  at: { readonly head: number; readonly now: number },
): JobChange | null {
  if (!isOpen(job)) return null;
  const deadline = deadlineOf(job);
  if (deadline !== null && at.now >= deadline.at) {
    return deadline.why === "runtime"
      ? endWithError(job, id, "timed_out", TIMED_OUT, at)
      : endWithError(job, id, "error", LEASE_ENDED, at);
  }
  if (job.status !== "running" || at.now < (job.leaseExpiresAt ?? 0)) return null;
  const attempt = epochOf(job);
  if (attempt >= LIMITS.jobAttempts)
    return endWithError(job, id, "error", EXECUTORS_LOST, at, { attempts: attempt });
  const payload = { jobId: id, attempt, reason: "lease_expired", outcome: "failure" } as const;
  return {
    events: [{ type: "job.requeued", payload }],
    job: { ...job, status: "pending", leaseExpiresAt: null, offered: false },
  };
}

const TIMED_OUT: JobFailure = {
  code: "TIMEOUT",
  message: "The job ran longer than it was allowed to.",
  retryable: true,
};
const LEASE_ENDED: JobFailure = {
  code: "LEASE_EXPIRED",
  message: "The lease of the job has expired.",
  retryable: false,
};
const EXECUTORS_LOST: JobFailure = {
  code: "INTERNAL_ERROR",
  message: "Every executor that started the job was lost.",
  retryable: true,
};
