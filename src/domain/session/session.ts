/** The session as the fold of its log. Everything else is in a participant's row or derived. */
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
  /** Set for a private value that was erased. */
  readonly erasedAt?: string;
}

interface Approval {
  readonly participant: string;
  readonly actor: Actor;
  readonly at: string;
  readonly comment?: string;
  /** The reviewer's identity, if an OpenID provider confirmed it. */
  readonly identity?: Identity;
  /** The approved version. Absent for approvals from before it was stored. */
  readonly version?: number;
}

/** The changes that a reviewer requests: in general, and for each field. */
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
  /** Reviewers must be identified by their OpenID provider. */
  readonly identity?: boolean;
  readonly approvedBy: readonly Approval[];
  /** Who submitted the session for this review, and when. */
  readonly submitted?: { readonly actor: Actor; readonly at: string };
  readonly requestedChanges?: RequestedChanges;
  readonly rejectedBecause?: string;
}

/** What to do next. */
export interface NextStep {
  /** Its number. */
  readonly step?: number | undefined;
  /** A description in one sentence. */
  readonly description?: string | undefined;
  /** The numbers of the steps that are done. */
  readonly stepsCompleted?: readonly number[] | undefined;
  /** The details, as Markdown. */
  readonly body?: string | undefined;
}

/** The state of automatic resumes and reminders. */
export interface Automation {
  /** When a resume is due, and for which attempt. */
  readonly resumeAt: number | null;
  readonly attempt: number | null;
  /** Times of failed resumes that still count. */
  readonly failures: readonly number[];
  /** The circuit breaker is open: there are no automatic resumes until it is reset. */
  readonly suspended: boolean;
  readonly lastStopSeq: number | null;
  /** Why it stopped, until somebody resumes. */
  readonly stopReason?: StopReason;
  /** When to send a reminder of an open request for input. */
  readonly remindAt?: number;
}

export interface Parent {
  readonly sessionId: SessionId;
  /** The parent's head when it was forked. */
  readonly seq: number;
  /** The parent's chain up to that seq. Absent for forks from before there was a chain. */
  readonly chain?: string;
  readonly reason: string;
  /**
   * The highest number of a file in the parent or its ancestors. Fields may contain these files, so
   * no file here gets one of their numbers.
   */
  readonly uploads?: number;
}

/** Replay below the floor is incomplete. The checkpoint replaces the removed events. */
export interface Trimmed {
  readonly floor: number;
  readonly checkpoint: { readonly id: string; readonly name: string; readonly seq: number };
}

/** The last request for input. It applies to links that have no fields of their own. */
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
  /** How long it lives after its last use; null if use does not extend it. Fixed at creation. */
  readonly idleTtlMs: number | null;
  readonly retentionMs: number;
  /** When it became finalized, rejected or cancelled. */
  readonly endedAt: number | null;
  readonly policy: PolicyChoice | null;
  readonly automation: Automation;
  readonly parent: Parent | null;
  readonly children: readonly { readonly sessionId: SessionId; readonly seq: number }[];
  /** The highest number that any checkpoint ever had, so that no number is reused. */
  readonly checkpointsMade: number;
  readonly trimmed: Trimmed | null;
  /** Null for a session without an owner. Fixed at creation. */
  readonly belongs: Ownership | null;
  readonly labels: Labels;
  /** Null if no location was requested. Fixed at creation. */
  readonly location: Location | null;
  /** Numbers of revoked participants, including their descendants. */
  readonly revoked: readonly number[];
  readonly request: InputRequest | null;
}
