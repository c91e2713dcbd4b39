/** Inputs of callers: the request bodies that `wire.ts` takes from the server's schemas. */
import type { Fields, FieldsInput } from "./fields";
import type * as wire from "./wire";

type KeysOf<T> = T extends unknown ? keyof T : never;
type MemberType<T, K extends PropertyKey> = T extends { readonly [P in K]?: infer V } ? V : never;
/** All members of all variants of a body. Which of them go together is checked by the server. */
type AllMembers<T> = { readonly [K in KeysOf<T>]?: MemberType<T, K> };

/** Who acts: an id and, optionally, a name. Both are claims of the caller. */
export type ActorInput = wire.ActorClaim;
/**
 * What the token is bound to: `true` binds to the network of this request. A string names another
 * network.
 */
export type BindInput = wire.Bind;
/** Input for a new session. */
export type CreateInput<F extends object = Fields> = Omit<wire.CreateSession, "fields"> & {
  /** The first values of some fields. */
  readonly fields?: FieldsInput<F>;
};
/** What the server decides after a stop. Omitted members keep their defaults. */
export type PolicyChoice = wire.Policy;
/** Fields to set (null removes one), a title, and the next step. */
export type SetInput<F extends object = Fields> = Omit<AllMembers<wire.SetFields>, "fields"> & {
  /** Some of the fields; null removes one. */
  readonly fields?: FieldsInput<F>;
};
/** Input for a resume. */
export type ResumeInput = wire.Resume;
/** An event to append: a namespaced type of your own, and a payload. */
export type EventInput = wire.Append["events"][number];
/** A handoff to another agent: its scopes, and how long they last. */
export type HandoffInput = Omit<Extract<wire.CreateHandoff, { to: "agent" }>, "to">;
/** A handoff to a person: a short link instead of a token. */
export type LinkInput = Omit<Extract<wire.CreateHandoff, { to: "human" }>, "to">;
/** An address that notices are posted to. */
export type EndpointInput = wire.AddEndpoint;
/** Changes of an endpoint. */
export type EndpointChanges = wire.ChangeEndpoint;
/** One delivery by its id, or all deliveries since a time. */
export type ReplayInput = wire.ReplayDeliveries;
/** Which page of an endpoint's deliveries. */
export interface DeliveryQuery {
  /** `nextCursor` of the previous page. */
  readonly cursor?: number;
  /** The page size; at most 100. */
  readonly limit?: number;
}
/** What input is requested from the next participant. */
export type RequestInputInput = wire.RequestInput;
/** One participant, or everyone else. */
export type RevokeInput = wire.Revoke;
/** Why the work stopped. */
export type StopInput = wire.StopReport;
/** A name for a checkpoint, and whether it is protected from pruning. */
export type CheckpointInput = wire.TakeCheckpoint;
/** Where the new session starts from, and why. */
export type ForkInput = wire.Fork;
/** A job for an agent. */
export type JobInput = wire.SubmitJob;
/** A file that is about to be uploaded. */
export type AnnounceInput = wire.RequestUpload;
/** A file whose size and hash are computed from its bytes. */
export type UploadInput = Omit<AnnounceInput, "size" | "sha256">;

/** Input for opening a session with an owner's key. */
export type OpenInput = wire.OpenSession;
/** The definition of a template: what its sessions are created with. */
export type TemplateInput = wire.TemplateDefinition;

/** Filters for the owner's sessions. All given filters must match. */
export interface ListFilters {
  /** One state, or several. */
  readonly state?: string | readonly string[];
  /** What the sessions wait for. */
  readonly waiting?: "review" | "person" | "job" | "time" | "agent";
  /** Only sessions that have waited longer than this. */
  readonly waitingLongerThanMs?: number;
  /** Only sessions with this label; as text `name:value`. */
  readonly label?: string | { readonly name: string; readonly value: string };
  /** Only the session with this external id. */
  readonly externalId?: string;
  /** Words in title, label values and externalId; all must match. */
  readonly q?: string;
  /** Created after this time, ISO 8601. */
  readonly createdAfter?: string;
  /** Created before this time, ISO 8601. */
  readonly createdBefore?: string;
  /** Changed after this time, ISO 8601. */
  readonly changedAfter?: string;
  /** Changed before this time, ISO 8601. */
  readonly changedBefore?: string;
  /** The page size. */
  readonly limit?: number;
}

/** Filters for events of the log. All given filters must match. */
export interface AuditQuery {
  /** Types of events; `token.*` is a whole namespace. */
  readonly type?: readonly string[];
  /** Only events of agents, people or the server. */
  readonly actorKind?: "agent" | "human" | "system";
  /** Only events of this actor. */
  readonly actorId?: string;
  /** Only events with this outcome. */
  readonly outcome?: "success" | "failure" | "skipped" | "pending";
  /** From this time on, ISO 8601. */
  readonly after?: string;
  /** Before this time, ISO 8601. */
  readonly before?: string;
  /** `nextCursor` of the previous page. */
  readonly cursor?: number;
  /** The page size. */
  readonly limit?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts every wait of the call. A request that was already sent stays saved. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of writes that change the version. */
export interface WriteOptions extends CallOptions {
  /** Write only if this is the current version. Pass the version that you have read. */
  readonly ifMatch?: number | undefined;
}

/** Options of calls that save a session. */
export interface Named extends CallOptions {
  /** The name to save it under. Default: a random name, or the session's id. */
  readonly as?: string;
}

/** Options of `find`. */
export interface FindOptions extends CallOptions {
  /** With an owner's key: the owner's own id for the session, which works on any machine. */
  readonly externalId?: string;
  /** With an owner's key: who acts if the key opens the session. */
  readonly actor?: ActorInput;
  /**
   * `return`, the default, also returns a session that has ended; `ignore` treats it as not found.
   */
  readonly onEnded?: "return" | "ignore";
}

/** Options of `open`. */
export interface OpenOptions extends Pick<FindOptions, "signal" | "externalId"> {
  /**
   * What to do if the session of this name has ended: `fail`, the default, throws a
   * `SessionEndedError`, and `fresh` creates a new session under the same name.
   */
  readonly onEnded?: "fail" | "fresh";
  /**
   * False opens the session without a resume, so that others who hold the same tokens can continue.
   * Default true.
   */
  readonly resume?: boolean;
}
