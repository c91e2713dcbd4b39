/** What passes between gateway and object about jobs: plain data and hashes, never a token. */
import type { Origin } from "../domain/participants/binding";
import type { Credential } from "../domain/participants/admission";
import type { Failure } from "../domain/failure";
import type { TokenHash } from "../domain/ids";
import type { JobStatus, JobView } from "../domain/jobs/job";
import type { JobEvent, JobSubmission, Report } from "../domain/jobs/job-rules";
import type { Json, JsonObject } from "../domain/json";
import type { ArcpBinding } from "../domain/participants/participant";
import type { Trace } from "../domain/log/trace";
import type { SessionView } from "../domain/session/view";
import type { Asked, Numbered, RequestKey } from "./messages";

export interface SubmitJobRequest extends Asked {
  readonly submission: JobSubmission;
  readonly key: RequestKey | null;
}

export interface ShownJob {
  readonly job: JobView;
  /** When the session expires. */
  readonly expiresAt: string;
}

export interface Submitted extends ShownJob {
  readonly replayed: boolean;
}

export interface JobContent extends ShownJob {
  readonly input: Json;
}

export interface ListJobsRequest extends Asked {
  /** Number of the last job of the page before. */
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

export interface CancelJobRequest extends Numbered {
  readonly reason?: string | undefined;
}

export interface ClaimRequest {
  readonly number: number;
  readonly agent: string;
  readonly token: TokenHash;
  readonly leaseMs: number;
  readonly trace?: Trace;
}

export interface Claimed {
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

export interface ReportRequest {
  readonly credential: JobCredential;
  /** Null where what was said is malformed: then there is a problem. */
  readonly report: Report | null;
  readonly problem?: Failure;
  /** Identity of a batch of events that came with a key. */
  readonly batch: string | null;
  readonly trace?: Trace;
}

export interface Reported {
  readonly cancelRequested: boolean;
  readonly leaseExpiresAt: string;
  readonly replayed: boolean;
}

/** How a connection over ARCP takes a session up again. */
export interface ArcpResumeRequest {
  readonly credential: Credential;
  readonly principal: string | null;
  readonly lastEventSeq: number;
  readonly next: TokenHash;
}

export interface ArcpResumed {
  readonly session: SessionView;
  readonly participant: number;
  readonly issuedSeq: number;
  /** Seq after which the log holds exactly the events the client has not seen. */
  readonly after: number;
  readonly binding: ArcpBinding;
}

/** A principal that watches a job of another of its sessions. */
export interface WatchRequest {
  readonly number: number;
  readonly principal: string;
  readonly from?: Origin;
  /** Number of the first job event that is wanted; absent: those from now on. */
  readonly first?: number | null;
}

/** Remembers up to where a job of another session was copied, or with null that it is watched no more. */
export interface KeepWatchingRequest extends Asked {
  readonly jobId: string;
  readonly cursor: number | null;
}

/** Something the runtime has to say about an open job. */
export interface NoteJobRequest extends Numbered {
  readonly event: JobEvent;
}

export interface Watched {
  readonly job: JobView;
  readonly head: number;
}

/** Events of another session's job, copied into the log of one that watches it. */
export interface MirrorRequest extends Asked {
  readonly jobId: string;
  /** The source's log is copied after this seq, up to that one. */
  readonly after: number;
  readonly upTo: number;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
}
