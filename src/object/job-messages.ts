/** Messages between gateway and object about jobs: plain data and hashes, never a token. */
import type { RequestOrigin } from "../domain/participants/binding";
import type { TokenHash } from "../domain/ids";
import type { JobStatus, JobView } from "../domain/jobs/job";
import type { Json } from "../domain/json";
import type { AuthenticatedRequest } from "./messages";

export interface JobReply {
  readonly job: JobView;
  /** When the session expires. */
  readonly expiresAt: string;
}

export interface SubmittedJob extends JobReply {
  readonly replayed: boolean;
}

export interface ListJobsRequest extends AuthenticatedRequest {
  /** Number of the last job of the previous page. */
  readonly after: number;
  readonly limit: number;
  readonly status?: readonly JobStatus[] | undefined;
  readonly agent?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface JobList {
  readonly jobs: readonly JobView[];
  readonly next: number | null;
}

export interface ClaimedJob {
  readonly job: JobView;
  readonly input: Json;
  readonly epoch: number;
  readonly leaseMs: number;
}

export interface JobCredential {
  readonly number: number;
  readonly epoch: number;
  readonly hash: TokenHash;
}

export interface ReportOutcome {
  readonly cancelRequested: boolean;
  readonly leaseExpiresAt: string;
  readonly replayed: boolean;
}

/** A principal that watches a job of another of its sessions. */
export interface WatchRequest {
  readonly number: number;
  readonly principal: string;
  readonly from?: RequestOrigin;
  /** Number of the first job event to read; absent: those from now on. */
  readonly first?: number | null;
}

export interface WatchedJob {
  readonly job: JobView;
  readonly head: number;
}
