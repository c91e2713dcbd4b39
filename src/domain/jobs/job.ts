/**
 * A job: work in a session that an executor claims, streams events for, and ends. All decisions
 * here use the given clock. They never depend on whether an alarm ran.
 */
import type { TokenHash } from "../ids";
import { hexToBytes, bytesToHex, decodeBase64url, encodeBase64url } from "../base64url";
import type { Json, JsonObject } from "../json";
import { tooLarge, type Failure } from "../failure";
import { LIMITS } from "../limits";

export const JOB_STATUSES = [
  "pending",
  "running",
  "success",
  "error",
  "cancelled",
  "timed_out",
] as const;
/** The status of a job. */
export type JobStatus = (typeof JOB_STATUSES)[number];

export const CLOSE_POLICIES = ["keep", "cancel"] as const;
/** What happens to the job when the client closes its session explicitly. */
export type ClosePolicy = (typeof CLOSE_POLICIES)[number];

export interface JobFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** How a job ended. The result itself is stored separately. */
interface JobOutcome {
  readonly summary?: string;
  readonly resultId?: string;
  readonly resultSize?: number;
  readonly error?: JobFailure;
}

export interface Job {
  readonly number: number;
  readonly agent: string;
  readonly version: string | null;
  readonly status: JobStatus;
  /** The participant that submitted it. */
  readonly createdBy: number;
  readonly createdAt: number;
  readonly closePolicy: ClosePolicy;
  readonly maxRuntimeMs: number | null;
  /** What the client permits the executor to do. It is passed on and not enforced here. */
  readonly lease: JsonObject | null;
  /** When that permission ends. The job ends with it. */
  readonly leaseUntil: number | null;
  readonly traceId: string | null;
  /**
   * Hashes of all job tokens issued so far. The n-th belongs to epoch n; only the last one is
   * valid.
   */
  readonly tokens: readonly TokenHash[];
  /** How long the executor may be silent before its lease expires. */
  readonly leaseMs: number;
  readonly leaseExpiresAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The queue has acknowledged the job. */
  readonly offered: boolean;
  /** The number of its last event, counted over all jobs of the session. */
  readonly lastEventSeq: number;
  readonly outcome: JobOutcome | null;
  /**
   * The executor's latest batches of events, to recognise duplicates. It keeps several because a
   * request that its sender gave up on may arrive after the next one.
   */
  readonly batches?: readonly string[];
}

export const isOpen = ({ status }: Pick<Job, "status">): boolean =>
  status === "pending" || status === "running";

/** The epoch counts claims. Tokens of earlier epochs are fenced off. */
export const epochOf = ({ tokens }: Pick<Job, "tokens">): number => tokens.length;

/** When the job must end whatever its executor does, and why. */
export function deadlineOf(
  job: Pick<Job, "startedAt" | "maxRuntimeMs" | "leaseUntil">,
): { readonly at: number; readonly why: "runtime" | "lease" } | null {
  const runtime =
    job.startedAt === null || job.maxRuntimeMs === null
      ? Infinity
      : job.startedAt + job.maxRuntimeMs;
  const lease = job.leaseUntil ?? Infinity;
  const at = Math.min(runtime, lease);
  return at === Infinity ? null : { at, why: runtime <= lease ? "runtime" : "lease" };
}

/** When the session's alarm must handle the job, or null. */
export function jobDueAt(job: Job): number | null {
  if (!isOpen(job)) return null;
  const offer = job.status === "pending" && !job.offered ? 0 : Infinity;
  const lease = job.status === "running" ? (job.leaseExpiresAt ?? 0) : Infinity;
  const due = Math.min(offer, lease, deadlineOf(job)?.at ?? Infinity);
  return due === Infinity ? null : due;
}

const JOB_PREFIX = "job_";
const OBJECT_ID_BYTES = 32;
const NUMBER_BYTES = 4;

/** Contains the object's id, so that the job id alone is enough to find the job. */
export function jobIdOf(objectIdHex: string, number: number): string {
  const bytes = new Uint8Array(OBJECT_ID_BYTES + NUMBER_BYTES);
  bytes.set(hexToBytes(objectIdHex), 0);
  new DataView(bytes.buffer).setUint32(OBJECT_ID_BYTES, number);
  return JOB_PREFIX + encodeBase64url(bytes);
}

export function parseJobId(
  id: string,
): { readonly objectIdHex: string; readonly number: number } | null {
  if (!id.startsWith(JOB_PREFIX)) return null;
  const bytes = decodeBase64url(id.slice(JOB_PREFIX.length));
  if (bytes?.length !== OBJECT_ID_BYTES + NUMBER_BYTES) return null;
  const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(OBJECT_ID_BYTES);
  return { objectIdHex: bytesToHex(bytes.subarray(0, OBJECT_ID_BYTES)), number };
}

/** The job as everyone who may view the session sees it. It contains no hashes. */
export interface JobView {
  /** Its id, `job_…`. */
  readonly id: string;
  /** The agent it is for, `name` or `name@version`. */
  readonly agent: string;
  /** Its status. */
  readonly status: JobStatus;
  /** The participant that submitted it. */
  readonly createdBy: string;
  /** When it was submitted, ISO 8601. */
  readonly createdAt: string;
  /** When an executor first claimed it. */
  readonly startedAt: string | null;
  /** When it ended. */
  readonly endedAt: string | null;
  /** How many executors have claimed it. */
  readonly attempts: number;
  /** How long it may run; null if there is no limit. */
  readonly maxRuntimeMs: number | null;
  /** What an explicit close over ARCP does to it. */
  readonly closePolicy: ClosePolicy;
  /** When the lease of its executor expires; null if no executor works on it. */
  readonly leaseExpiresAt: string | null;
  /** The number of its last event. */
  readonly lastEventSeq: number;
  /** What its submitter permits it to use, as ARCP defines it. */
  readonly lease: JsonObject | null;
  /** When that permission ends. */
  readonly leaseUntil: string | null;
  /** The trace it belongs to. */
  readonly traceId: string | null;
  /** Its result, if it succeeded. */
  readonly result?: Json;
  /** The id of a result that was sent in chunks. */
  readonly resultId?: string;
  /** The size of that result in bytes. */
  readonly resultSize?: number;
  /** A summary of the result. */
  readonly summary?: string;
  /** Why it failed. */
  readonly error?: JobFailure;
}

export const agentOf = ({ agent, version }: Pick<Job, "agent" | "version">): string =>
  version === null ? agent : `${agent}@${version}`;

const isoOrNull = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

export function viewJob(job: Job, objectIdHex: string, result: Json | undefined): JobView {
  return {
    id: jobIdOf(objectIdHex, job.number),
    agent: agentOf(job),
    status: job.status,
    createdBy: `par_${job.createdBy}`,
    createdAt: new Date(job.createdAt).toISOString(),
    startedAt: isoOrNull(job.startedAt),
    endedAt: isoOrNull(job.endedAt),
    attempts: epochOf(job),
    maxRuntimeMs: job.maxRuntimeMs,
    closePolicy: job.closePolicy,
    leaseExpiresAt: job.status === "running" ? isoOrNull(job.leaseExpiresAt) : null,
    lastEventSeq: job.lastEventSeq,
    lease: job.lease,
    leaseUntil: isoOrNull(job.leaseUntil),
    traceId: job.traceId,
    ...(result === undefined ? {} : { result }),
    ...job.outcome,
  };
}

/** Why no further job can be added to these open and waiting ones, or null. */
export function jobCapacityProblem(open: number, waiting: number): Failure | null {
  if (open >= LIMITS.jobs) {
    return tooLarge("the number of jobs that have not ended", LIMITS.jobs, open);
  }
  return waiting < LIMITS.jobsWaiting
    ? null
    : tooLarge("the number of jobs that wait for an executor", LIMITS.jobsWaiting, waiting);
}
