/** The write commands, as values. What a client sends becomes one of these. */
import type { ActorClaim } from "../participants/actor";
import type { BindInput } from "../participants/binding";
import type { ForkCommand } from "../checkpoints/fork";
import type { Json, JsonObject } from "../json";
import type {
  AddEndpoint,
  ChangeEndpoint,
  EndpointCommand,
  ReplayEndpoint,
} from "../notices/endpoint-rules";
import type { Labels } from "../owners/ownership";
import type { PolicyChoice } from "../stops/policy";
import type { Scope } from "../participants/scope";
import type { NextStep } from "./session";
import type { Terms } from "../links/terms";
import type { ConfirmUpload, RemoveUpload, RequestUpload } from "../files/upload";

export interface SetFields {
  readonly operation: "setFields";
  /** A null removes the field. */
  readonly fields: Readonly<Record<string, Json>>;
  /** One value for all the given fields, or one for each. */
  readonly confidence?: number | Readonly<Record<string, number>> | undefined;
  readonly title?: string | null | undefined;
  readonly nextStep?: NextStep | null | undefined;
  /**
   * Only for a person. `true`: these fields complete the answer. A ReturnedAnswer: the person gives
   * the work back without completing it. Part of the stored hash of the request, so its form stays.
   */
  readonly answers?: true | ReturnedAnswer | undefined;
}

interface ReturnedAnswer {
  readonly handedBack: { readonly message?: string };
}

type TermsInput = { readonly [K in keyof Terms]?: Terms[K] | undefined };

export interface RequestInput extends TermsInput {
  readonly operation: "requestInput";
  readonly note?: string | undefined;
  /** The older name of `ask`. */
  readonly fields?: readonly string[] | undefined;
  readonly remindAfterMs?: number | undefined;
}

/** A person declines the request. With `notMe`, it was meant for somebody else. */
export interface Decline {
  readonly operation: "decline";
  readonly reason?: string | undefined;
  readonly notMe?: boolean | undefined;
}

export interface Approve {
  readonly operation: "approve";
  readonly comment?: string | undefined;
}

export interface Reject {
  readonly operation: "reject";
  readonly reason?: string | undefined;
}

export interface RequestChanges {
  readonly operation: "requestChanges";
  readonly comment?: string | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

export interface LifecycleCommand {
  readonly operation: "submit" | "finalize" | "cancel" | "pause" | "unpause";
  readonly reason?: string | undefined;
}

export interface Extend {
  readonly operation: "extend";
  readonly ttlMs: number;
}

export interface Resume {
  readonly operation: "resume";
  readonly lastEventSeq?: number | undefined;
  readonly actor?: ActorClaim | undefined;
  readonly auto?: boolean | undefined;
}

export interface Handoff extends TermsInput {
  readonly operation: "handoff";
  readonly to: "agent" | "human";
  readonly scopes: readonly Scope[];
  readonly actor?: ActorClaim | undefined;
  readonly note?: string | undefined;
  readonly ttlMs?: number | undefined;
  /** For an agent: the types of events that it may append and read. */
  readonly events?:
    | {
        readonly append?: readonly string[] | undefined;
        readonly read?: readonly string[] | undefined;
      }
    | undefined;
  /** For a link: it can be opened only once. */
  readonly singleUse?: boolean | undefined;
  /** For a link: another device may take over even after a save. */
  readonly takeover?: boolean | undefined;
  /** The landing page, shown before the link is opened, may show the session's title. */
  readonly showTitle?: boolean | undefined;
  readonly bind?: BindInput | undefined;
  /** Ids of the endpoints that are notified of it. */
  readonly notify?: readonly string[] | undefined;
  readonly remindAfterMs?: number | undefined;
}

/** Gives a link a new code. The old code no longer opens it. */
export interface Reissue {
  readonly operation: "reissue";
  readonly participant: number;
  readonly ttlMs?: number | undefined;
}

export interface RevokeHandoff {
  readonly operation: "revokeHandoff";
  readonly participant: number;
}

export interface RevokeParticipants {
  readonly operation: "revoke";
  /** A participant's number, or everyone but the caller. */
  readonly target: number | "others";
}

/** Erases the value of a private field. Its hash stays. */
export interface ErasePrivate {
  readonly operation: "erasePrivate";
  readonly field: string;
}

/** Replaces all labels. */
export interface SetLabels {
  readonly operation: "setLabels";
  readonly labels: Labels;
}

export interface CreateCheckpoint {
  readonly operation: "checkpoint";
  readonly name?: string | undefined;
  readonly pinned?: boolean | undefined;
}

export interface PinCheckpoint {
  readonly operation: "pinCheckpoint";
  readonly checkpoint: number;
  readonly pinned: boolean;
}

export interface ExistingCheckpointCommand {
  readonly operation: "deleteCheckpoint" | "restore" | "trim";
  readonly checkpoint: number;
}

export type Command =
  | SetFields
  | RequestInput
  | Approve
  | Reject
  | RequestChanges
  | Decline
  | LifecycleCommand
  | Extend
  | SetLabels
  | ErasePrivate
  | Resume
  | Handoff
  | Reissue
  | RevokeHandoff
  | RevokeParticipants
  | CreateCheckpoint
  | PinCheckpoint
  | ExistingCheckpointCommand
  | RequestUpload
  | ConfirmUpload
  | RemoveUpload
  | AddEndpoint
  | ChangeEndpoint
  | EndpointCommand
  | ReplayEndpoint
  | ForkCommand;

export interface CreateArguments {
  readonly title?: string | null | undefined;
  readonly actor?: ActorClaim | undefined;
  readonly schema?: JsonObject | null | undefined;
  readonly fields?: Readonly<Record<string, Json>> | undefined;
  readonly confidence?: number | Readonly<Record<string, number>> | undefined;
  readonly ttlMs?: number | undefined;
  readonly idleTtlMs?: number | undefined;
  readonly review?:
    | {
        readonly required: boolean;
        readonly approvals: number;
        readonly identity?: boolean | undefined;
      }
    | undefined;
  readonly nextStep?: NextStep | null | undefined;
  readonly policy?: PolicyChoice | null | undefined;
  readonly bind?: BindInput | undefined;
  readonly labels?: Labels | undefined;
}

export interface AppendedEvent {
  readonly type: string;
  readonly payload: JsonObject;
}
