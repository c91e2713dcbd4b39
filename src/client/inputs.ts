/** What callers give: the bodies of the wire. A test holds them to the server's own schemas. */
import type { Json, JsonObject } from "../domain/json";
import type { PolicyChoice, StopReason } from "../domain/stops/policy";
import type { Scope } from "../domain/participants/scope";
import type { NextStep } from "../domain/session/session";

export interface ActorInput {
  readonly id: string;
  readonly name?: string;
}

/** What the token needs beside itself: `true` means as this request, a text names another. */
export interface BindInput {
  readonly network?: true | string;
  readonly principal?: true | string;
}

export interface CreateInput {
  readonly title?: string | null;
  readonly actor?: ActorInput;
  /** JSON Schema 2020-12 whose properties are the fields. */
  readonly schema?: JsonObject | null;
  readonly fields?: Readonly<Record<string, Json>>;
  readonly confidence?: number | Readonly<Record<string, number>>;
  readonly ttlMs?: number;
  /** Lives this long after its last write, append or resume; at least two days. */
  readonly idleTtlMs?: number;
  readonly review?: { readonly required?: boolean; readonly approvals?: number };
  readonly nextStep?: NextStep | null;
  readonly policy?: PolicyChoice | null;
  readonly bind?: BindInput;
}

export interface SetInput {
  /** Null removes a field. */
  readonly fields?: Readonly<Record<string, Json>>;
  readonly confidence?: number | Readonly<Record<string, number>>;
  readonly title?: string | null;
  readonly nextStep?: NextStep | null;
}

export interface ResumeInput {
  /** The last event seen; absent: the cursor that the server keeps. */
  readonly lastEventSeq?: number;
  readonly actor?: ActorInput;
  /** True when a machine decided to resume. */
  readonly auto?: boolean;
  readonly onInvalid?: "fail" | "fresh";
}

export interface EventInput {
  /** A namespaced name such as `agent.progress`. */
  readonly type: string;
  readonly payload?: JsonObject;
}

export interface HandoffInput {
  readonly scopes: readonly Scope[];
  readonly actor?: ActorInput;
  readonly note?: string;
  readonly ttlMs?: number;
  readonly bind?: BindInput;
}

/** What a person is asked and shown. */
export interface TermsInput {
  /** Fields that the person is asked for: the link can write these and no others. */
  readonly ask?: readonly string[];
  /** Fields that the person sees and cannot change. */
  readonly show?: readonly string[];
  readonly question?: string;
  /** The words on the button that sends the answer. */
  readonly submitLabel?: string;
}

export interface RequestInputInput extends TermsInput {
  readonly note?: string;
  /** The older name of `ask`. */
  readonly fields?: readonly string[];
}

/** For a person: a short link instead of a token. */
export interface LinkInput extends TermsInput {
  readonly scopes: readonly Scope[];
  readonly note?: string;
  /** 24 hours unless given, and never past the session. */
  readonly ttlMs?: number;
  readonly singleUse?: boolean;
  readonly takeover?: boolean;
  /** The page may name the session's title before the link is opened. */
  readonly showTitle?: boolean;
  readonly bind?: BindInput;
}

export type RevokeInput = { readonly participant: string } | { readonly others: true };

export interface StopInput {
  readonly reason: StopReason;
  /** The attempt that failed, from 1. */
  readonly attempt?: number;
  readonly retryAfterMs?: number;
  /** As in the header: seconds or an HTTP date. */
  readonly retryAfter?: string | number;
  readonly usage?: JsonObject;
  readonly exitCode?: number;
  readonly evidence?: string;
  readonly confidence?: number;
}

export interface CheckpointInput {
  readonly name?: string;
  readonly pinned?: boolean;
}

export interface ForkInput {
  /** A checkpoint's id; absent: the document as it is. */
  readonly from?: string;
  readonly reason?: string;
  readonly finalizeParent?: boolean;
  /** With {step}, {description} and {context}. */
  readonly template?: string;
}

export interface AuditQuery {
  readonly type?: readonly string[];
  readonly actorKind?: "agent" | "human" | "system";
  readonly actorId?: string;
  readonly outcome?: "success" | "failure" | "skipped" | "pending";
  readonly after?: string;
  readonly before?: string;
  readonly cursor?: number;
  readonly limit?: number;
}

/** Of every call: a signal that ends its waits. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Write only over this version. Give what you have looked at. */
  readonly ifMatch?: number | undefined;
}

export interface JobInput {
  /** A name, or name@version. */
  readonly agent: string;
  readonly input?: Json;
  readonly maxRuntimeMs?: number;
  readonly closePolicy?: "keep" | "cancel";
}

export interface UploadInput {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** The field that is to show it. */
  readonly field?: string;
}

export interface AnnounceInput extends UploadInput {
  readonly size: number;
  /** In hex; what arrives must then have it. */
  readonly sha256?: string;
}
