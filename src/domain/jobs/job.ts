/**
 * A job: work in a session that an executor claims, streams events for, and ends. Its life as data.
 * What is decided here is decided from the clock that is given, never from whether an alarm ran.
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
/** How far a job is. */
export type JobStatus = (typeof JOB_STATUSES)[number];

export const CLOSE_POLICIES = ["keep", "cancel"] as const;
/** What an explicit goodbye of the client does to the job. */
export type ClosePolicy = (typeof CLOSE_POLICIES)[number];

export interface JobFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** How a job ended, without the result itself, which stands beside it. */
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
  /** What the executor may do, as the client asked for it: handed on, not enforced here. */
  readonly lease: JsonObject | null;
  /** The end of that permission; the job ends with it. */
  readonly leaseUntil: number | null;
  readonly traceId: string | null;
  /** Hashes of the job tokens given out so far: the n-th is of epoch n, the last is the one that counts. */
  readonly tokens: readonly TokenHash[];
  /** Until when the running executor is trusted to be alive. */
  readonly leaseMs: number;
  readonly leaseExpiresAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The queue has said that it knows of the job. */
  readonly offered: boolean;
  /** Number of its last event among those of all jobs of the session. */
  readonly lastEventSeq: number;
  readonly outcome: JobOutcome | null;
  /**
   * The executor's latest batches of events, to know one again that is sent twice. More than the last:
   * a request that its sender gave up may still come in after the next one.
   */
  readonly batches?: readonly string[];
}

export const isOpen = ({ status }: Pick<Job, "status">): boolean =>
  status === "pending" || status === "running";

/** The epoch counts claims; a token of an earlier one is fenced off. */
export const epochOf = ({ tokens }: Pick<Job, "tokens">): number => tokens.length;

/** When the job must end whatever its executor does, and as what. */
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

/** When the session's alarm must look at the job, or null. */
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

/** Carries the object's id, so that a job is found by its name alone. */
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

/** The job as everybody who may look at the session sees it: no hash, nothing to act with. */
export interface JobView {
  /** Its id, `job_…`. */
  readonly id: string;
  /** The agent it is for, `name` or `name@version`. */
  readonly agent: string;
  /** How far it is. */
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
  /** How long it may run; null where there is no limit. */
  readonly maxRuntimeMs: number | null;
  /** What an explicit goodbye over ARCP does to it. */
  readonly closePolicy: ClosePolicy;
  /** Until when its executor is trusted without a word; null where none works on it. */
  readonly leaseExpiresAt: string | null;
  /** The number of its last event. */
  readonly lastEventSeq: number;
  /** What its submitter lets it use, as ARCP says it. */
  readonly lease: JsonObject | null;
  /** Until when that holds. */
  readonly leaseUntil: string | null;
  /** The trace it belongs to. */
  readonly traceId: string | null;
  /** What it gave, where it succeeded. */
  readonly result?: Json;
  /** The id of a result that came in chunks. */
  readonly resultId?: string;
  /** The size of such a result in bytes. */
  readonly resultSize?: number;
  /** The result in words. */
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

/** Is there room for one job more, beside those that have not ended and those that wait? */
export function jobCapacityProblem(open: number, waiting: number): Failure | null {
  if (open >= LIMITS.jobs) {
    return tooLarge("the number of jobs that have not ended", LIMITS.jobs, open);
  }
  return waiting < LIMITS.jobsWaiting
    ? null
    : tooLarge("the number of jobs that wait for an executor", LIMITS.jobsWaiting, waiting);
}
