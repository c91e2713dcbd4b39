/** What callers give: the bodies of the wire, as `wire.ts` has them from the server's own schemas. */
import type { Fields, Given } from "./fields";
import type * as wire from "./wire";

type KeysOf<T> = T extends unknown ? keyof T : never;
type At<T, K extends PropertyKey> = T extends { readonly [P in K]?: infer V } ? V : never;
/** All members of the ways to write a body: that some of them go together is for the server to say. */
type Loose<T> = { readonly [K in KeysOf<T>]?: At<T, K> };

export type ActorInput = wire.ActorClaim;
/** What the token needs beside itself: `true` binds to the network of this request. A string names another network. */
export type BindInput = wire.Bind;
/** How a session begins. */
export type CreateInput<F extends object = Fields> = Omit<wire.CreateSession, "fields"> & {
  /** The first values of some fields. */
  readonly fields?: Given<F>;
};
export type PolicyChoice = wire.Policy;
/** Fields to set, where null removes one, a title, and what is to be done next. */
export type SetInput<F extends object = Fields> = Omit<Loose<wire.SetFields>, "fields"> & {
  /** Some of the fields; null removes one. */
  readonly fields?: Given<F>;
};
export type ResumeInput = wire.Resume;
export type EventInput = wire.Append["events"][number];
export type HandoffInput = Omit<Extract<wire.CreateHandoff, { to: "agent" }>, "to">;
/** For a person: a short link instead of a token. */
export type LinkInput = Omit<Extract<wire.CreateHandoff, { to: "human" }>, "to">;
export type EndpointInput = wire.AddEndpoint;
export type RequestInputInput = wire.RequestInput;
export type RevokeInput = wire.Revoke;
export type StopInput = wire.StopReport;
export type CheckpointInput = wire.TakeCheckpoint;
export type ForkInput = wire.Fork;
export type JobInput = wire.SubmitJob;
export type AnnounceInput = wire.RequestUpload;
/** A file whose size and hash are found out from its bytes. */
export type UploadInput = Omit<AnnounceInput, "size" | "sha256">;

/** What an owner's key opens a session with. */
export type OpenInput = wire.OpenSession;
/** What sessions of a template begin with. */
export type TemplateInput = wire.TemplateDefinition;

/** Which of the owner's sessions; all that are given must hold. */
export interface ListFilters {
  readonly state?: string | readonly string[];
  readonly waiting?: "review" | "person" | "job" | "time" | "agent";
  readonly waitingLongerThanMs?: number;
  readonly label?: { readonly name: string; readonly value: string };
  readonly externalId?: string;
  /** Words of title, label values and externalId; all must be there. */
  readonly q?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly changedAfter?: string;
  readonly changedBefore?: string;
  /** Sessions on one page. */
  readonly limit?: number;
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
