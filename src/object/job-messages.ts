/** What passes between gateway and object about jobs: plain data and hashes, never a token. */
import type { Origin } from "../domain/binding";
import type { Credential } from "../domain/admission";
import type { RequestHash, TokenHash } from "../domain/ids";
import type { JobStatus, JobView } from "../domain/job";
import type { JobEvent, JobSubmission, Report } from "../domain/job-rules";
import type { Json, JsonObject } from "../domain/json";
import type { ArcpBinding } from "../domain/participant";
import type { Trace } from "../domain/trace";
import type { SessionView } from "../domain/view";
import type { Page, Reply } from "./messages";

export interface SubmitJobRequest {
  readonly credential: Credential;
  readonly submission: JobSubmission;
  readonly key: { readonly hash: string; readonly request: RequestHash } | null;
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

export interface ListJobsRequest {
  readonly credential: Credential;
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

export interface CancelJobRequest {
  readonly credential: Credential;
  readonly number: number;
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
  readonly report: Report;
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
}

export interface Watched {
  readonly job: JobView;
  readonly head: number;
}

/** Events of another session's job, copied into the log of one that watches it. */
export interface MirrorRequest {
  readonly credential: Credential;
  readonly jobId: string;
  /** The source's log is copied after this seq, up to that one. */
  readonly after: number;
  readonly upTo: number;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
}

export interface JobPort {
  submitJob(request: SubmitJobRequest): Promise<Reply<Submitted>>;
  listJobs(request: ListJobsRequest): Promise<Reply<JobList>>;
  getJob(credential: Credential, number: number): Promise<Reply<JobContent>>;
  cancelJob(request: CancelJobRequest): Promise<Reply<ShownJob>>;
  /** An explicit goodbye: ends the jobs whose policy says so. */
  closeJobs(credential: Credential, reason: string | undefined): Promise<Reply<number>>;
  claimJob(request: ClaimRequest): Promise<Claimed | null>;
  reportJob(request: ReportRequest): Promise<Reply<Reported>>;
  checkJobToken(credential: JobCredential): Promise<Reply<null>>;
  arcpResume(request: ArcpResumeRequest): Promise<Reply<ArcpResumed>>;
  arcpConfirm(credential: Credential): Promise<void>;
  /** Something the runtime has to say about an open job; false where it is not open. */
  noteJob(credential: Credential, number: number, event: JobEvent): Promise<boolean>;
  /** As a principal that began this session in another connection. `from` is a job event's number. */
  watchJob(request: WatchRequest, from: number | null): Promise<Reply<Watched>>;
  watchEvents(request: WatchRequest, after: number): Promise<Reply<Page>>;
  /** Remembers, or with null forgets, that a job of another session is watched. */
  arcpWatch(credential: Credential, jobId: string, cursor: number | null): Promise<Reply<null>>;
  arcpMirror(request: MirrorRequest): Promise<Reply<null>>;
}
