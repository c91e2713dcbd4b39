/** The session as the fold of its log. What is not in here is either a participant's row or derived. */
import type { Actor } from "../participants/actor";
import type { Identity } from "../participants/identity";
import type { SessionId } from "../ids";
import type { Json, JsonObject } from "../json";
import type { Ownership, Labels } from "../owners/ownership";
import type { PolicyChoice, StopReason } from "../stops/policy";
import type { Location } from "./location";
import type { State } from "./state";
import type { Terms } from "../links/terms";

export interface FieldMeta {
  readonly actor: Actor;
  readonly at: string;
  readonly confidence?: number;
  /** Of a private value that can no longer be read. */
  readonly erasedAt?: string;
}

interface Approval {
  readonly participant: string;
  readonly actor: Actor;
  readonly at: string;
  readonly comment?: string;
  /** Who that is, where an OpenID provider says so. */
  readonly identity?: Identity;
  /** What was approved: the version before it. Absent where it was approved before this was kept. */
  readonly version?: number;
}

/** What a reviewer wants changed: in general, and field by field. */
interface RequestedChanges {
  readonly actor: Actor;
  readonly at: string;
  readonly comment?: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Review {
  readonly required: boolean;
  /** How many different participants must approve. */
  readonly approvals: number;
  /** Reviewers must be known by their OpenID provider. */
  readonly identity?: boolean;
  readonly approvedBy: readonly Approval[];
  /** Who submitted what is reviewed, and when. */
  readonly submitted?: { readonly actor: Actor; readonly at: string };
  readonly requestedChanges?: RequestedChanges;
  readonly rejectedBecause?: string;
}

/** What is to be done next, for whoever goes on. */
export interface NextStep {
  /** Its number. */
  readonly step?: number | undefined;
  /** It in a sentence. */
  readonly description?: string | undefined;
  /** The numbers of the steps that are done. */
  readonly stepsCompleted?: readonly number[] | undefined;
  /** It at length, as Markdown. */
  readonly body?: string | undefined;
}

/** What machines are about to do with the session. */
export interface Automation {
  /** When a resume is due, and for which attempt. */
  readonly resumeAt: number | null;
  readonly attempt: number | null;
  /** Times of failed resumes, as far as they still count. */
  readonly failures: readonly number[];
  /** The loop breaker is open: nothing resumes by itself until it is reset. */
  readonly suspended: boolean;
  readonly lastStopSeq: number | null;
  /** Why it stopped, until somebody resumes. */
  readonly stopReason?: StopReason;
  /** When a request for input that is still open is told again. */
  readonly remindAt?: number;
}

export interface Parent {
  readonly sessionId: SessionId;
  /** The parent's head when it was forked. */
  readonly seq: number;
  /** The parent's chain up to there. Absent where it was forked before there was one. */
  readonly chain?: string;
  readonly reason: string;
  /** The highest number of a file there or before: fields name such files, so none here has their number. */
  readonly uploads?: number;
}

/** Replay below the floor is no longer whole; the checkpoint bridges it. */
export interface Trimmed {
  readonly floor: number;
  readonly checkpoint: { readonly id: string; readonly name: string; readonly seq: number };
}

/** The last request for input: who asks people for what. Holds for links that name no fields of their own. */
export interface InputRequest extends Terms {
  readonly note?: string;
  readonly by: Actor;
  readonly at: string;
}

export interface Session {
  readonly title: string | null;
  readonly state: State;
  readonly paused: boolean;
  readonly version: number;
  readonly fields: Readonly<Record<string, Json>>;
  readonly fieldMeta: Readonly<Record<string, FieldMeta>>;
  /** Fixed at creation. */
  readonly schema: JsonObject | null;
  readonly review: Review;
  readonly nextStep: NextStep | null;
  readonly createdAt: string;
  readonly createdBy: Actor;
  readonly updatedAt: string;
  readonly updatedBy: Actor;
  readonly expiresAt: number;
  /** How long it lives after its last use; null: it ends when it ends. Fixed at creation. */
  readonly idleTtlMs: number | null;
  readonly retentionMs: number;
  /** When it became finalized, rejected or cancelled. */
  readonly endedAt: number | null;
  readonly policy: PolicyChoice | null;
  readonly automation: Automation;
  readonly parent: Parent | null;
  readonly children: readonly { readonly sessionId: SessionId; readonly seq: number }[];
  /** Highest number ever given to a checkpoint, so that none is given twice. */
  readonly checkpointsMade: number;
  readonly trimmed: Trimmed | null;
  /** Null for a session that belongs to nobody but its participants. Fixed at creation. */
  readonly belongs: Ownership | null;
  readonly labels: Labels;
  /** Null where nothing was asked for. Fixed at creation. */
  readonly location: Location | null;
  /** Numbers of participants whose rights were taken back, with those they made. */
  readonly revoked: readonly number[];
  readonly request: InputRequest | null;
}
