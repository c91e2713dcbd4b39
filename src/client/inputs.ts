/** What callers give: the bodies of the wire, as `wire.ts` has them from the server's own schemas. */
import type { Fields, Given } from "./fields";
import type * as wire from "./wire";

type KeysOf<T> = T extends unknown ? keyof T : never;
type MemberType<T, K extends PropertyKey> = T extends { readonly [P in K]?: infer V } ? V : never;
/** All members of the ways to write a body: that some of them go together is for the server to say. */
type AllMembers<T> = { readonly [K in KeysOf<T>]?: MemberType<T, K> };

/** Who acts: an id and, if you like, a name. Both are what you say of yourself. */
export type ActorInput = wire.ActorClaim;
/** What the token needs beside itself: `true` binds to the network of this request. A string names another network. */
export type BindInput = wire.Bind;
/** How a session begins. */
export type CreateInput<F extends object = Fields> = Omit<wire.CreateSession, "fields"> & {
  /** The first values of some fields. */
  readonly fields?: Given<F>;
};
/** What the server decides after a stop. What is left out keeps its default. */
export type PolicyChoice = wire.Policy;
/** Fields to set, where null removes one, a title, and what is to be done next. */
export type SetInput<F extends object = Fields> = Omit<AllMembers<wire.SetFields>, "fields"> & {
  /** Some of the fields; null removes one. */
  readonly fields?: Given<F>;
};
/** How a session is taken up again. */
export type ResumeInput = wire.Resume;
/** An event to append: a namespaced type of your own, and a payload. */
export type EventInput = wire.Append["events"][number];
/** For another agent: its scopes, and how long they last. */
export type HandoffInput = Omit<Extract<wire.CreateHandoff, { to: "agent" }>, "to">;
/** For a person: a short link instead of a token. */
export type LinkInput = Omit<Extract<wire.CreateHandoff, { to: "human" }>, "to">;
/** An address that notices are posted to. */
export type EndpointInput = wire.AddEndpoint;
/** What is to change of an endpoint. */
export type EndpointChanges = wire.ChangeEndpoint;
/** One delivery by its id, or all that were told since a time. */
export type ReplayInput = wire.ReplayDeliveries;
/** How much of an endpoint's deliveries, and from where. */
export interface DeliveryQuery {
  /** `nextCursor` of the page before. */
  readonly cursor?: number;
  /** At most so many, and at most 100. */
  readonly limit?: number;
}
/** What is asked of whoever comes next. */
export type RequestInputInput = wire.RequestInput;
/** One participant, or everyone else. */
export type RevokeInput = wire.Revoke;
/** Why the work stopped. */
export type StopInput = wire.StopReport;
/** A name for a checkpoint, and whether it is kept from pruning. */
export type CheckpointInput = wire.TakeCheckpoint;
/** From where the new session begins, and why. */
export type ForkInput = wire.Fork;
/** Work for an agent. */
export type JobInput = wire.SubmitJob;
/** A file that is about to be sent. */
export type AnnounceInput = wire.RequestUpload;
/** A file whose size and hash are found out from its bytes. */
export type UploadInput = Omit<AnnounceInput, "size" | "sha256">;

/** What an owner's key opens a session with. */
export type OpenInput = wire.OpenSession;
/** What sessions of a template begin with. */
export type TemplateInput = wire.TemplateDefinition;

/** Which of the owner's sessions; all that are given must hold. */
export interface ListFilters {
  /** One state, or several. */
  readonly state?: string | readonly string[];
  /** What the sessions wait for. */
  readonly waiting?: "review" | "person" | "job" | "time" | "agent";
  /** Only those that have waited longer than this. */
  readonly waitingLongerThanMs?: number;
  /** Only those with this label; as text `name:value`. */
  readonly label?: string | { readonly name: string; readonly value: string };
  /** Only the one with this name of yours. */
  readonly externalId?: string;
  /** Words of title, label values and externalId; all must be there. */
  readonly q?: string;
  /** Created after this time, ISO 8601. */
  readonly createdAfter?: string;
  /** Created before this time, ISO 8601. */
  readonly createdBefore?: string;
  /** Changed after this time, ISO 8601. */
  readonly changedAfter?: string;
  /** Changed before this time, ISO 8601. */
  readonly changedBefore?: string;
  /** Sessions on one page. */
  readonly limit?: number;
}

/** Which events of the log; all that are given must hold. */
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
  /** Where the page before ended. */
  readonly cursor?: number;
  /** Events on one page. */
  readonly limit?: number;
}

/** Of every call: a signal that ends its waits. */
export interface CallOptions {
  /** Ends every wait of the call. What was already sent stays saved. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of writes that move the version. */
export interface WriteOptions extends CallOptions {
  /** Write only over this version. Give what you have looked at. */
  readonly ifMatch?: number | undefined;
}

/** Options of calls that save a session. */
export interface Named extends CallOptions {
  /** The name to save it under; absent: a random one, or the session's id. */
  readonly as?: string;
}

/** Options of `find`. */
export interface FindOptions extends CallOptions {
  /** With an owner's key: the owner's own name for the session, by which any machine finds it. */
  readonly externalId?: string;
  /** With an owner's key: who acts, where the key opens the session. */
  readonly actor?: ActorInput;
  /** `return`, the default, gives a session that has ended too; to `ignore` it is as if there was none. */
  readonly onEnded?: "return" | "ignore";
}

/** Options of `open`. */
export interface OpenOptions extends Pick<FindOptions, "signal" | "externalId"> {
  /**
   * What to do where the session of this name has ended: `fail`, the default, throws a
   * `SessionEndedError`, and `fresh` begins a new session under the same name.
   */
  readonly onEnded?: "fail" | "fresh";
  /** False: take it up without a resume, so that others who hold the same tokens go on. Default true. */
  readonly resume?: boolean;
}
