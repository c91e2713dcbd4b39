/**
 * The payload of each event that the server writes, declared once. An event that does not match its
 * entry does not compile, and the SDK's union of events is this table. These are type aliases and not
 * interfaces, because only aliases are assignable to JSON. The comments of members and events are
 * copied into docs/events.md.
 */
import type { Identity } from "../participants/identity";
import type { JsonObject, Json } from "../json";
import type { StopReason, Strategy } from "../stops/policy";

/** The outcome of an operation that can also fail or find nothing to do. */
type Outcome = "success" | "failure" | "skipped" | "pending";

/** A handoff and its participant, by their ids. */
type HandoffIds = {
  /** The handoff, `hnd_…`. */
  readonly handoffId: string;
  /** The participant that the handoff created, `par_…`. */
  readonly participant: string;
};

/** A token by its short hash; the token itself is in no event. */
type TokenRef = {
  /** The participant whose token it is. */
  readonly participant: string;
  /** The first characters of the token's hash. */
  readonly tokenHash: string;
};

/** What a handoff grants. */
type HandoffGrant = HandoffIds & {
  /** The participant that made the handoff. */
  readonly madeBy: string;
  /** Whom the handoff is for. */
  readonly to: "agent" | "human";
  /** What the new participant may do. */
  readonly scopes: readonly string[];
  /** When its access ends; without it, with the session. */
  readonly expiresAt?: string;
  /** What its token is bound to: `network`, `principal` or both. */
  readonly bound?: readonly string[];
  /** The message for the new participant. */
  readonly note?: string;
};

/** What a person is asked and shown. */
export type InputTerms = {
  /** Fields the person is asked for. */
  readonly ask?: readonly string[];
  /** Fields the person sees and cannot change. */
  readonly show?: readonly string[];
  /** The question above the form. */
  readonly question?: string;
  /** The text on the button. */
  readonly submitLabel?: string;
};

/** What a handoff to an agent narrows it to. Its row stores them, and they never change. */
export type ParticipantTerms = {
  /** Fields that it may write, and see. */
  readonly ask?: readonly string[];
  /** Fields that it may see and not write. */
  readonly show?: readonly string[];
  /** The types of events that it may append and read, or whole namespaces such as `chat.*`. */
  readonly events?: {
    /** Types that it may append; without it, its scopes alone decide. */
    readonly append?: readonly string[];
    /** Types that it may read. */
    readonly read?: readonly string[];
  };
};

/** A notice that follows from another event. */
type WithCause = {
  /** The type of the event that caused it, which comes before it in the same commit. */
  readonly cause: string;
};

/** A file, announced or arrived. */
type FileInfo = {
  /** The upload, `upl_…`. */
  readonly upload: string;
  /** The field that takes the file. */
  readonly field?: string;
  /** Its file name. */
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** Its size in bytes. */
  readonly size: number;
  /** Its SHA-256 in hex. */
  readonly sha256?: string;
};

/** A job by its id. */
type JobRef = {
  /** The job. */
  readonly jobId: string;
};

/** Events of jobs that are numbered among themselves. */
type NumberedJobRef = {
  /** Its number among the events of all jobs of the session. */
  readonly eventSeq: number;
  /** The job. */
  readonly jobId: string;
  /** The trace that the job was submitted with. */
  readonly traceId?: string;
};

/** An endpoint by its id. */
type EndpointRef = {
  /** The endpoint, `end_…`. */
  readonly endpointId: string;
};

/** An endpoint with the origin of its address, the only part that is shown. */
type EndpointOrigin = EndpointRef & {
  /** The origin of its address. */
  readonly origin: string;
};

/** The settings of an endpoint, without its address and secrets. */
type EndpointInfo = EndpointOrigin & {
  /** The notices that it receives. */
  readonly notices: readonly string[];
  /** The format of its messages. */
  readonly format: string;
  /** Only sessions with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
};

/** A checkpoint by its id. */
type CheckpointRef = {
  /** The checkpoint, `chk_…`. */
  readonly id: string;
  /** `skipped` if nothing changed. */
  readonly outcome: Outcome;
};

/** An event that is written only if its operation succeeded. */
type WithSuccess = {
  /** Always `success`. */
  readonly outcome: Outcome;
};

/** The reason of a write. */
type WithReason = {
  /** The reason, as the caller wrote it. */
  readonly reason?: string;
};

/** One field that changed. */
type FieldChange = {
  /** The field's name. */
  readonly field: string;
  /** The old value; absent if there was none. */
  readonly from?: Json;
  /** The new value; absent if the field was removed. */
  readonly to?: Json;
};

/** The payload of each event, by its type. */
export type EventPayloads = {
  /** A session was created. */
  readonly "session.created": {
    /** Its title. */
    readonly title: string | null;
    /** The JSON Schema of its fields. */
    readonly schema: JsonObject | null;
    /** Whether a review is required, and how many approvals. */
    readonly review: { readonly required: boolean; readonly approvals: number };
    /** What to do next. */
    readonly nextStep: JsonObject | null;
    /** When it ends. */
    readonly expiresAt: string;
    /** How long it lives after its last use. */
    readonly idleTtlMs?: number;
    /** How long it is kept after its end. */
    readonly retentionMs: number;
    /** The policy for automatic resumes and checkpoints. */
    readonly policy: JsonObject | null;
    /** The session it was forked from. */
    readonly parent: JsonObject | null;
    /** Its owner, the owner's name for it, and the name of the key that created it. */
    readonly belongs?: JsonObject;
    /** The owner's labels. */
    readonly labels?: Readonly<Record<string, string>>;
    /** The requested jurisdiction and location hint. */
    readonly location?: JsonObject;
    /** What it copied from the session it was forked from. */
    readonly document?: JsonObject;
  };
  /** The title or the next step changed. */
  readonly "session.updated": {
    /** The new title. */
    readonly title?: string | null;
    /** The new next step. */
    readonly nextStep?: JsonObject | null;
  };
  /** Fields changed. */
  readonly "fields.updated": {
    /** Each field that was written. */
    readonly changes: readonly FieldChange[];
    /** The confidence of each field for which it was given, from 0 to 1. */
    readonly confidence?: Readonly<Record<string, number>>;
  };
  /** Somebody is asked for input. */
  readonly "session.input_requested": InputTerms & {
    /** The message to the person. */
    readonly note?: string;
    /** The fields that are asked for. */
    readonly fields?: readonly string[];
    /** When a reminder is sent if nobody has answered. */
    readonly remindAt?: string;
  };
  /** The owner's labels changed. */
  readonly "session.labelled": {
    /** All labels from now on. */
    readonly labels: Readonly<Record<string, string>>;
  };
  /** The value of a private field was erased; its hash stays. */
  readonly "private.erased": {
    /** The field. */
    readonly field: string;
    /** The hash that the document contains instead of the value. */
    readonly hash: string;
  } & WithSuccess;
  /** The session was submitted. */
  readonly "session.submitted": { readonly [member: string]: never };
  /** The session waits for input. */
  readonly "session.awaiting_input": WithCause;
  /** The session waits for a review. */
  readonly "session.needs_review": WithCause;
  /** A reviewer requested changes. */
  readonly "session.changes_requested": WithCause;
  /** The session has all the approvals it needs. */
  readonly "session.approved": WithCause;
  /** A reviewer rejected the session. */
  readonly "session.rejected": WithCause;
  /** The session was finalized. */
  readonly "session.finalized": WithReason & {
    /** The child in which the work continues. */
    readonly forkedTo?: string;
  };
  /** The session was cancelled. */
  readonly "session.cancelled": WithReason;
  /** The session was paused. */
  readonly "session.paused": WithReason & {
    /** `skipped` if it was already paused. */
    readonly outcome: Outcome;
  };
  /** The session was unpaused. */
  readonly "session.unpaused": WithReason & {
    /** `skipped` if it was not paused. */
    readonly outcome: Outcome;
  };
  /** The session got a new end. */
  readonly "session.extended": {
    /** The old end. */
    readonly from: string;
    /** The new end. */
    readonly expiresAt: string;
    /** `use` if the session was extended by its use. */
    readonly because?: string;
  };
  /** The session expires soon. */
  readonly "session.expiring": {
    /** When it ends. */
    readonly expiresAt: string;
  };
  /** The session expired. */
  readonly "session.expired": {
    /** When it ended. */
    readonly expiresAt: string;
  };
  /** A child was forked from this session. */
  readonly "session.forked": {
    /** The id of the child. */
    readonly child: string;
    /** Why it was forked. */
    readonly reason: string;
    /** The checkpoint it was forked from; without it, the session as it was. */
    readonly from?: string;
    /** Private fields, which the child does not get. */
    readonly withheld?: readonly string[];
    /** Earlier children that had ended and are no longer counted. */
    readonly ended?: readonly string[];
  } & WithSuccess;
  /** Events below a checkpoint were removed. */
  readonly "session.trimmed": {
    /** Replay begins after this seq. */
    readonly floor: number;
    /** The checkpoint that replaces the removed events. */
    readonly checkpoint: { readonly id: string; readonly name: string; readonly seq: number };
    /** All commits that are missing after this trim and those before it: how many, how many events they had, and the SHA-256 of [their list](evidence.md#trimmed-commits). Only with `success`. */
    readonly removed?: {
      readonly commits: number;
      readonly events: number;
      readonly sha256: string;
    };
    /** `skipped` if nothing was removed. */
    readonly outcome: Outcome;
  };
  /** A reviewer approved. */
  readonly "review.approved": {
    /** The reviewer. */
    readonly participant: string;
    /** How many approvals there are now. */
    readonly given: number;
    /** How many are needed. */
    readonly needed: number;
    /** What the reviewer wrote. */
    readonly comment?: string;
    /** The reviewer's identity, if an OpenID provider confirmed it. */
    readonly identity?: Identity;
  };
  /** A reviewer rejected. */
  readonly "review.rejected": WithReason & {
    /** The reviewer's identity, if an OpenID provider confirmed it. */
    readonly identity?: Identity;
  };
  /** A reviewer requested changes. */
  readonly "review.changes_requested": {
    /** The requested change of each field. */
    readonly fields: Readonly<Record<string, string>>;
    /** The comment on the whole. */
    readonly comment?: string;
  };
  /** A file was announced. */
  readonly "upload.requested": FileInfo;
  /** A file arrived and was confirmed. */
  readonly "upload.confirmed": FileInfo;
  /** A file was removed. */
  readonly "upload.removed": FileInfo;
  /** A handoff was created. */
  readonly "handoff.created": Partial<WithCause> & HandoffGrant & ParticipantTerms;
  /** A link for a person was created. */
  readonly "handoff.link_issued": HandoffGrant &
    InputTerms & {
      /** It can be opened once. */
      readonly singleUse: boolean;
      /** Whoever opens it later takes over. */
      readonly takeover: boolean;
    };
  /** A link got a new code; the old one no longer opens it. */
  readonly "handoff.reissued": HandoffIds & {
    /** When the new one ends. */
    readonly expiresAt: string;
  };
  /** A person opened the link. */
  readonly "handoff.opened": HandoffIds;
  /** The link was opened again on another device, which took over. */
  readonly "handoff.resumed": HandoffIds & {
    /** Always true. */
    readonly takenOver?: true;
  };
  /** A person answered. */
  readonly "handoff.answered": HandoffIds & {
    /** What the person did: `saved`, `submitted`, `approved`, `rejected`, `changes_requested` or `handed_back`. */
    readonly answer: string;
    /** What they wrote as they handed back. */
    readonly message?: string;
  };
  /** A person declined. */
  readonly "handoff.declined": HandoffIds &
    WithReason & {
      /** The person said that the link was not meant for them. */
      readonly notMe?: true;
    };
  /** A link ended before it was answered. */
  readonly "handoff.expired": HandoffIds & {
    /** Whether anybody had opened it. */
    readonly opened: boolean;
    /** When it ended. */
    readonly expiresAt?: string;
  };
  /** A handoff or a request for input still waits. */
  readonly "handoff.reminded": Partial<HandoffIds> & {
    /** What waits. */
    readonly for: "input" | "handoff";
    /** Whom the handoff is for. */
    readonly to?: "agent" | "human";
  };
  /** Participants lost their rights. */
  readonly "handoff.revoked": {
    /** The participants that lost their rights. */
    readonly participants: readonly string[];
    /** `skipped` if there was none. */
    readonly outcome: Outcome;
  };
  /** A token was issued by a create, a handoff or a resume. */
  readonly "token.issued": TokenRef;
  /** A participant resumed, or opened its link. */
  readonly "token.accessed": TokenRef & {
    /** How: `resume`, `link` or `arcp`. */
    readonly by?: string;
    /** The resume was automatic. */
    readonly auto?: boolean;
  };
  /** A token ended with the session. */
  readonly "token.expired": TokenRef;
  /** A token was revoked. */
  readonly "token.revoked": TokenRef & {
    /** The reason, if nobody revoked it directly. */
    readonly reason?: string;
  };
  /** An owner's key opened the session. */
  readonly "owner.opened": {
    /** The participant that it created. */
    readonly participant: string;
    /** The owner. */
    readonly owner: string;
    /** The name of the key. */
    readonly key: string;
    /** What the participant may do. */
    readonly scopes: readonly string[];
    /** When its access ends. */
    readonly expiresAt: string;
  };
  /** A job was submitted. */
  readonly "job.submitted": JobRef & {
    /** The agent it is for. */
    readonly agent: string;
    /** What happens to the job when the client closes its session. */
    readonly closePolicy: string;
    /** How long it may run. */
    readonly maxRuntimeMs?: number;
  };
  /** An executor claimed a job. */
  readonly "job.started": JobRef & {
    /** The number of this attempt. */
    readonly attempt: number;
    /** How long the executor may be silent. */
    readonly leaseMs: number;
  };
  /** An executor reported something. */
  readonly "job.event": NumberedJobRef & {
    /** What kind of report it is. */
    readonly kind: string;
    /** The report. */
    readonly body: JsonObject;
  };
  /** A job ended with a result. */
  readonly "job.result": NumberedJobRef & {
    /** Always `success`. */
    readonly finalStatus: "success";
    /** The result, if the event contains it. */
    readonly result?: Json;
    /** The id of the result, if it was streamed. */
    readonly resultId?: string;
    /** Its size in bytes. */
    readonly resultSize?: number;
    /** The executor's summary. */
    readonly summary?: string;
  };
  /** A job ended without a result. */
  readonly "job.error": NumberedJobRef & {
    /** How it ended. */
    readonly finalStatus: "error" | "cancelled" | "timed_out";
    /** The code of the error. */
    readonly code: string;
    /** The error message. */
    readonly message: string;
    /** Whether the same job may succeed later. */
    readonly retryable: boolean;
    /** How often it was tried. */
    readonly attempts?: number;
    /** `success` for a job that was cancelled. */
    readonly outcome: Outcome;
  };
  /** The lease of an executor ended, and the job waits for another executor. */
  readonly "job.requeued": JobRef & {
    /** The attempt that failed. */
    readonly attempt: number;
    /** Why. */
    readonly reason: string;
    /** Always `failure`. */
    readonly outcome: Outcome;
  };
  /** A job ended. */
  readonly "job.ended": WithCause &
    JobRef & {
      /** How it ended, if it has no result. */
      readonly finalStatus?: string;
      /** The code of the error, if it has no result. */
      readonly code?: string;
    };
  /** A participant took a lease; the seq of this event is the number of the lease. */
  readonly "lease.taken": {
    /** The name of the lease. */
    readonly name: string;
    /** When it ends, unless it is renewed. */
    readonly expiresAt: string;
  };
  /** A participant released its lease. */
  readonly "lease.released": {
    /** The name of the lease. */
    readonly name: string;
    /** Its number. */
    readonly number: number;
  };
  /** An effect that happens once was started. */
  readonly "once.started": {
    /** The key of the effect. */
    readonly key: string;
    /** The name of the lease under which it was started. */
    readonly lease: string;
    /** The number of that lease. */
    readonly number: number;
    /** It was started before and has no end, so it may have happened. */
    readonly again?: true;
  };
  /** An effect that happens once has its result. */
  readonly "once.done": {
    /** The key of the effect. */
    readonly key: string;
    /** The number of the lease under which it was started. */
    readonly number: number;
    /** Its result. */
    readonly result: Json;
  };
  /** A checkpoint was stored. */
  readonly "checkpoint.created": {
    /** The checkpoint, `chk_…`. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
    /** The head of the log when it was taken. */
    readonly seq: number;
    /** The version of its content. */
    readonly version: number;
    /** When it was taken. */
    readonly createdAt: string;
    /** The server created it automatically. */
    readonly automatic: boolean;
    /** No later checkpoint replaces it. */
    readonly pinned: boolean;
    /** Its size. */
    readonly bytes: number;
    /** Its SHA-256 in hex. */
    readonly sha256: string;
    /** Always `success`. */
    readonly outcome: Outcome;
    /** The checkpoint that it replaced. */
    readonly pruned?: string;
  };
  /** An automatic checkpoint could not be stored. */
  readonly "checkpoint.failed": {
    /** The name it would have had. */
    readonly name: string;
    /** Always true. */
    readonly automatic: boolean;
    /** Always `failure`. */
    readonly outcome: Outcome;
    /** Why. */
    readonly reason: string;
  };
  /** A checkpoint was pinned: no later one replaces it. */
  readonly "checkpoint.pinned": CheckpointRef;
  /** A checkpoint was unpinned. */
  readonly "checkpoint.unpinned": CheckpointRef;
  /** A checkpoint was deleted. */
  readonly "checkpoint.deleted": CheckpointRef;
  /** A checkpoint was restored. */
  readonly "checkpoint.restored": {
    /** The checkpoint. */
    readonly id: string;
    /** The document from now on. */
    readonly document: JsonObject;
    /** Private fields whose values are no longer kept. */
    readonly erased?: readonly string[];
  } & WithSuccess;
  /** An agent reported that it stopped. */
  readonly "stop.reported": {
    /** Why it stopped. */
    readonly reason: StopReason;
    /** The attempt that failed, from 1. */
    readonly attempt: number;
    /** How long the provider asked to wait. */
    readonly retryAfterMs?: number;
    /** The same as in the header `Retry-After`: seconds or a date. */
    readonly retryAfter?: string;
    /** What was used up. */
    readonly usage?: JsonObject;
    /** The exit code of the process. */
    readonly exitCode?: number;
    /** The text from which the reason was recognised. */
    readonly evidence?: string;
    /** How certain the reason is, from 0 to 1. */
    readonly confidence?: number;
    /** The decision: what to do next. */
    readonly decision: {
      /** Go on in the same session, in a new one, or not. */
      readonly strategy: Strategy;
      /** When to go on. */
      readonly resumeAt: string | null;
      /** How long to wait. */
      readonly waitMs: number;
      /** The next attempt. */
      readonly attempt: number | null;
      /** The reason of the decision, in words. */
      readonly why: string;
    };
    /** Times of failed resumes that still count. */
    readonly failures: readonly number[];
    /** `pending` if a resume is scheduled, `skipped` if nothing follows. */
    readonly outcome: Outcome;
  };
  /** A scheduled resume is due. */
  readonly "resume.due": {
    /** The attempt that is due. */
    readonly attempt: number | null;
    /** The scheduled time. */
    readonly scheduledFor: string;
  } & WithSuccess;
  /** Automatic resumes are suspended after failed resumes. */
  readonly "resume.suspended": {
    /** How many resumes failed. */
    readonly failures: number;
    /** The time within which they failed, in milliseconds. */
    readonly windowMs: number;
    /** Always `failure`. */
    readonly outcome: Outcome;
    /** The reason, as text. */
    readonly reason: string;
  };
  /** The session has waited for a long time. */
  readonly "wait.long": {
    /** What it waits for. */
    readonly for: string;
    /** When the wait began. */
    readonly since: string;
  };
  /** An address for notices was registered. */
  readonly "endpoint.created": EndpointInfo;
  /** An endpoint was changed. */
  readonly "endpoint.changed": EndpointInfo;
  /** An endpoint signs with a new secret. */
  readonly "endpoint.rotated": EndpointRef;
  /** Earlier notices are delivered again. */
  readonly "endpoint.replayed": EndpointRef;
  /** An endpoint was removed. */
  readonly "endpoint.removed": EndpointRef;
  /** An endpoint is suspended after five days of failed deliveries. */
  readonly "endpoint.suspended": EndpointOrigin;
  /** An endpoint answered 410 and was ended. */
  readonly "endpoint.ended": EndpointOrigin;
};

/** The types of the events that the server writes. */
export type EventType = keyof EventPayloads;
