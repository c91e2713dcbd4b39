/**
 * The request and response bodies that the SDK names, written by `npm run wire-types` from the
 * OpenAPI document. Do not edit.
 */
import type { Json, JsonObject } from "../domain/json";
import type { NoticeType } from "../domain/notices/catalogue";
import type { Scope } from "../domain/participants/scope";
import type { Jurisdiction, LocationHint } from "../domain/session/location";
import type { State } from "../domain/session/state";
import type { StopReason, Strategy } from "../domain/stops/policy";

interface NextStep {
  /** Default: the step after the highest completed one, or 1 */
  readonly step?: number;
  /** One sentence that describes it */
  readonly description?: string;
  /** The numbers of the steps that are done */
  readonly stepsCompleted?: readonly number[];
  /** Markdown */
  readonly body?: string;
}

export interface CreateSession {
  /** One line; null removes it */
  readonly title?: string | null;
  /** Who acts: an id and, if you like, a name */
  readonly actor?: ActorClaim;
  /** JSON Schema 2020-12 whose properties are the fields */
  readonly schema?: JsonObject | null;
  /** Field names and their values; null removes a field */
  readonly fields?: JsonObject;
  /** From 0 to 1: one number for all given fields, or one per field */
  readonly confidence?: number | Readonly<Record<string, number>>;
  /** Default 7 days; allowed by default: 1 s to 90 days */
  readonly ttlMs?: number;
  /** The session expires this long after its last write, append or resume; at least 2 days. If ttlMs is absent, this is also the initial lifetime */
  readonly idleTtlMs?: number;
  /** Whether a review is required, and how many approvals */
  readonly review?: {
    /** Whether a review is needed */
    readonly required?: boolean;
    /** How many different participants must approve */
    readonly approvals?: number;
    /** If true, reviewers must be signed in with the OpenID provider of this server */
    readonly identity?: boolean;
  };
  /** What to do next; null removes it */
  readonly nextStep?: NextStep | null;
  /** What the server decides after a stop */
  readonly policy?: Policy | null;
  /** What the token is bound to */
  readonly bind?: Bind;
  /** Names with values, to find sessions by */
  readonly labels?: Readonly<Record<string, string>>;
  /** The owner's own id for the session; at most one session has it */
  readonly externalId?: string;
  /** A template of the owner: its newest version, or `name@3`. Other members of the request override it */
  readonly template?: string;
  /** The session and its files never leave this jurisdiction; allowed only if the server supports it */
  readonly jurisdiction?: Jurisdiction;
  /** Where most of its requests come from; only a hint */
  readonly locationHint?: LocationHint;
}

export interface ActorClaim {
  /** Always `agent`: people join by a link */
  readonly kind?: "agent";
  /** The id that the log shows */
  readonly id: string;
  /** A name for people */
  readonly name?: string;
}

export interface Policy {
  /** The strategy for each reason */
  readonly strategies?: Readonly<Partial<Record<StopReason, Strategy>>>;
  /** The first backoff; default 30 s */
  readonly baseMs?: number;
  /** The longest backoff; default 5 min */
  readonly maxMs?: number;
  /** Default 5 */
  readonly maxAttempts?: number;
  /** A share of the wait; default 0.1 */
  readonly jitter?: number;
  /** This many failed resumes within windowMs suspend automatic resumes; default 3 in 5 min */
  readonly breaker?: {
    /** How many failures */
    readonly failures?: number;
    /** Within how much time */
    readonly windowMs?: number;
  };
  /** Default 10 */
  readonly keepCheckpoints?: number;
  /** Refuse a fork or restore whose automatic checkpoint fails */
  readonly strictCheckpoints?: boolean;
}

export type Bind =
  | {
      /** true: the network of this request; or a prefix such as 203.0.113.0/24 */
      readonly network: true | string;
      /** true: the principal of this request; or a name, as the proxy writes it */
      readonly principal?: true | string;
    }
  | {
      /** true: the principal of this request; or a name, as the proxy writes it */
      readonly principal: true | string;
    };

type LinkBind =
  | {
      /** A prefix such as 203.0.113.0/24 */
      readonly network: string;
      /** true: the principal of this request; or a name, as the proxy writes it */
      readonly principal?: true | string;
    }
  | {
      /** true: the principal of this request; or a name, as the proxy writes it */
      readonly principal: true | string;
    };

export interface Resume {
  /** The last event seen; default: the stored cursor */
  readonly lastEventSeq?: number;
  /** Who acts: an id and, if you like, a name */
  readonly actor?: ActorClaim;
  /** True if the resume is automatic */
  readonly auto?: boolean;
  /** fresh: creates a new session, with a warning, if the token is invalid or expired, or its session is gone */
  readonly onInvalid?: "fail" | "fresh";
}

export interface Resumable {
  /** Whether a resume would succeed */
  readonly resumable: boolean;
  /** The code a resume would fail with */
  readonly reason?: string;
  /** A number in the session's log */
  readonly version: number;
  /** A number in the session's log */
  readonly head: number;
  /** Events after lastEventSeq, or after the stored cursor */
  readonly behindBy: number;
  /** ISO 8601, UTC */
  readonly expiresAt: string;
}

export type SetFields =
  | {
      /** Field names and their values; null removes a field */
      readonly fields: JsonObject;
      /** From 0 to 1: one number for all given fields, or one per field */
      readonly confidence?: number | Readonly<Record<string, number>>;
      /** One line; null removes it */
      readonly title?: string | null;
      /** What to do next; null removes it */
      readonly nextStep?: NextStep | null;
      /** Replaces all labels; no other member may be sent with it */
      readonly labels?: Readonly<Record<string, string>>;
    }
  | {
      /** From 0 to 1: one number for all given fields, or one per field */
      readonly confidence?: number | Readonly<Record<string, number>>;
      /** One line; null removes it */
      readonly title: string | null;
      /** What to do next; null removes it */
      readonly nextStep?: NextStep | null;
      /** Replaces all labels; no other member may be sent with it */
      readonly labels?: Readonly<Record<string, string>>;
    }
  | {
      /** From 0 to 1: one number for all given fields, or one per field */
      readonly confidence?: number | Readonly<Record<string, number>>;
      /** What to do next; null removes it */
      readonly nextStep: NextStep | null;
      /** Replaces all labels; no other member may be sent with it */
      readonly labels?: Readonly<Record<string, string>>;
    };

export interface RequestInput {
  /** A note for whoever continues */
  readonly note?: string;
  /** Fields that the person is asked for: the link can write these and no others. Without a schema and without `ask`, the answer is in the field `answer` */
  readonly ask?: readonly string[];
  /** Fields that the person sees and cannot change. With `ask` or `show` the person sees no other field */
  readonly show?: readonly string[];
  /** The question at the top of the page */
  readonly question?: string;
  /** The text on the submit button */
  readonly submitLabel?: string;
  /** The older name of `ask` */
  readonly fields?: readonly string[];
  /** The time after which a reminder is sent if there is no answer yet */
  readonly remindAfterMs?: number;
}

export interface Append {
  /** The events, in order */
  readonly events: readonly {
    /** A namespaced name such as agent.progress */
    readonly type: string;
    /** What happened, up to 256 KiB; the SDK stores larger values separately */
    readonly payload?: JsonObject;
  }[];
  /** Append only if the log ends here */
  readonly expectedHead?: number;
}

export interface Appended {
  /** A number in the session's log */
  readonly first: number;
  /** A number in the session's log */
  readonly last: number;
  /** A number in the session's log */
  readonly head: number;
}

export type CreateHandoff =
  | {
      /** An agent gets a token, a person a short link */
      readonly to: "agent";
      /** What it may do */
      readonly scopes: readonly Scope[];
      /** Who acts: an id and, if you like, a name */
      readonly actor?: ActorClaim;
      /** A note for whoever continues */
      readonly note?: string;
      /** Default for a link: 24 h; never longer than the session */
      readonly ttlMs?: number;
      /** Fields that it may write: these and no others. For a person, the fields it is asked for; without a schema and without `ask`, the answer is in the field `answer` */
      readonly ask?: readonly string[];
      /** Fields that it sees and cannot change. With `ask` or `show` it sees no other field */
      readonly show?: readonly string[];
      /** For an agent: the types of events that it may append and read, and no others; `chat.*` is a namespace. With `read`, and without `ask` and `show`, it sees no field */
      readonly events?: {
        readonly append?: readonly string[];
        readonly read?: readonly string[];
      };
      /** What the token is bound to */
      readonly bind?: Bind;
      /** The time after which a reminder is sent if there is no answer yet */
      readonly remindAfterMs?: number;
      /** Endpoints to notify; they receive the link for a person */
      readonly notify?: readonly string[];
    }
  | {
      /** An agent gets a token, a person a short link */
      readonly to: "human";
      /** What it may do */
      readonly scopes: readonly Scope[];
      /** Who acts: an id and, if you like, a name */
      readonly actor?: ActorClaim;
      /** A note for whoever continues */
      readonly note?: string;
      /** Default for a link: 24 h; never longer than the session */
      readonly ttlMs?: number;
      /** The link can be opened only once */
      readonly singleUse?: boolean;
      /** Another device may take over even after a save */
      readonly takeover?: boolean;
      /** Fields that it may write: these and no others. For a person, the fields it is asked for; without a schema and without `ask`, the answer is in the field `answer` */
      readonly ask?: readonly string[];
      /** Fields that it sees and cannot change. With `ask` or `show` it sees no other field */
      readonly show?: readonly string[];
      /** The question at the top of the page */
      readonly question?: string;
      /** The text on the submit button */
      readonly submitLabel?: string;
      /** The page may show the session's title before the link is opened */
      readonly showTitle?: boolean;
      /** What the token is bound to */
      readonly bind?: LinkBind;
      /** The time after which a reminder is sent if there is no answer yet */
      readonly remindAfterMs?: number;
      /** Endpoints to notify; they receive the link for a person */
      readonly notify?: readonly string[];
    };

export type Revoke =
  | {
      /** A participant's id; everyone it brought in is revoked too */
      readonly participant: string;
    }
  | {
      /** Revokes all participants except the caller */
      readonly others: true;
    };

export interface RequestUpload {
  /** A field whose schema says format: "file" */
  readonly field?: string;
  /** The file's name */
  readonly name: string;
  /** A media type */
  readonly type: string;
  /** In bytes */
  readonly size: number;
  /** The hash that the received bytes must have */
  readonly sha256?: string;
}

export interface StopReport {
  /** Why */
  readonly reason: StopReason;
  /** The attempt that failed, from 1 */
  readonly attempt?: number;
  /** How long the provider asked to wait */
  readonly retryAfterMs?: number;
  /** The value of the header Retry-After: seconds or an HTTP date */
  readonly retryAfter?: string | number;
  /** What was used, in your own words */
  readonly usage?: JsonObject;
  /** The exit status of the program */
  readonly exitCode?: number;
  /** What you observed */
  readonly evidence?: string;
  /** From 0 to 1: how sure the reporter is */
  readonly confidence?: number;
}

export interface TakeCheckpoint {
  /** A name to find it by */
  readonly name?: string;
  /** Never replaced automatically */
  readonly pinned?: boolean;
}

export interface Checkpoint {
  /** Its id */
  readonly id: string;
  /** Its name */
  readonly name: string;
  /** The log's head when it was made */
  readonly seq: number;
  /** A number in the session's log */
  readonly version: number;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** The server created it automatically */
  readonly automatic: boolean;
  /** Never replaced automatically */
  readonly pinned: boolean;
  /** The size of the document */
  readonly bytes: number;
  /** The hash of its content, in hex */
  readonly sha256: string;
}

export interface Fork {
  /** A checkpoint's id; default: the current document */
  readonly from?: string;
  /** Why */
  readonly reason?: string;
  /** Finalize this session once the new one is created */
  readonly finalizeParent?: boolean;
  /** The text with the placeholders {step}, {description} and {context} */
  readonly template?: string;
}

export interface Lineage {
  /** The sessions of the line, oldest first */
  readonly lineage: readonly {
    /** The session's id */
    readonly sessionId: string;
    /** One line; null removes it */
    readonly title: string | null;
    /** A state, or `gone` */
    readonly state: string;
    /** ISO 8601, UTC */
    readonly createdAt: string | null;
    /** The parent's head when this one was forked */
    readonly forkedAt: number | null;
    /** Why */
    readonly reason: string | null;
    /** The ids of the sessions that were forked from it */
    readonly children: readonly string[];
    /** True for the session that the request names */
    readonly current: boolean;
  }[];
}

export interface SubmitJob {
  /** A name, or name@version */
  readonly agent: string;
  /** Any JSON value */
  readonly input?: Json;
  /** How long it may run */
  readonly maxRuntimeMs?: number;
  /** What happens to the job when the ARCP client sends session.bye; default keep */
  readonly closePolicy?: "keep" | "cancel";
}

export interface AddEndpoint {
  /** An https address. It is stored encrypted; later responses show only its origin */
  readonly url: string;
  /** Which notices to send */
  readonly notices: readonly NoticeType[];
  /** standard: Standard Webhooks; or a message for Slack, Discord or ntfy */
  readonly format?: "standard" | "slack" | "discord" | "ntfy";
  /** Only notices of sessions that have all of these labels */
  readonly labels?: Readonly<Record<string, string>>;
  /** Signs deliveries; by default the server creates one and shows it once */
  readonly secret?: string;
}

export interface NoticeEndpoint {
  /** end_… */
  readonly id: string;
  /** The only part of the address that is shown */
  readonly origin: string;
  /** Which notices to send */
  readonly notices: readonly NoticeType[];
  /** mcp: a subscription that was made over MCP */
  readonly format: "standard" | "slack" | "discord" | "ntfy" | "mcp";
  /** Names and values that sessions are found by */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether deliveries are sent to it */
  readonly status: "active" | "suspended" | "ended";
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** For an owner's endpoint: the time since which no attempt has succeeded, and the last attempt */
  readonly failing?: {
    /** ISO 8601, UTC */
    readonly since: string;
    /** ISO 8601, UTC */
    readonly at: string;
    /** Status of the response */
    readonly status?: number;
    /** Why there was no response */
    readonly error?: string;
  };
}

export interface ChangeEndpoint {
  /** An https address. It is stored encrypted; later responses show only its origin */
  readonly url?: string;
  /** Which notices to send */
  readonly notices?: readonly NoticeType[];
  /** standard: Standard Webhooks; or a message for Slack, Discord or ntfy */
  readonly format?: "standard" | "slack" | "discord" | "ntfy";
  /** Only notices of sessions that have all of these labels */
  readonly labels?: Readonly<Record<string, string>>;
  /** `active` ends a suspension */
  readonly status?: "active";
}

export interface Delivery {
  /** dlv_… */
  readonly id: string;
  /** The header webhook-id of all its attempts */
  readonly webhookId: string;
  /** The seq of its event in the session's log */
  readonly seq: number;
  /** A media type */
  readonly type: string;
  /** Whether deliveries are sent to it */
  readonly status: "pending" | "delivered" | "given_up";
  /** ISO 8601, UTC */
  readonly nextAttemptAt?: string;
  /** The last 20 attempts, oldest first */
  readonly attempts: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    /** Status of the response */
    readonly status?: number;
    /** Why there was no response */
    readonly error?: string;
  }[];
}

export type ReplayDeliveries =
  | {
      /** Sends all notices since this time again */
      readonly since: string;
    }
  | {
      /** Sends this delivery again */
      readonly delivery: string;
    };

export interface SessionList {
  /** The sessions of this page */
  readonly sessions: readonly ListedSession[];
  /** Null on the last page; any other page may have fewer entries than `limit` */
  readonly nextCursor: string | null;
  /** How many sessions there are, over all pages */
  readonly counts: {
    /** All of them */
    readonly total: number;
    /** By state */
    readonly states: Readonly<Record<string, number>>;
    /** By what they wait for */
    readonly waiting: Readonly<Record<string, number>>;
  };
}

export interface ListedSession {
  /** Its id */
  readonly id: string;
  /** One line; null removes it */
  readonly title: string | null;
  /** Its state */
  readonly state: State;
  /** What the session waits for; null if it has ended */
  readonly waiting: {
    /** What it waits for */
    readonly for: "review" | "person" | "job" | "time" | "agent";
    /** ISO 8601, UTC */
    readonly since: string;
  } | null;
  /** Names and values that sessions are found by */
  readonly labels: Readonly<Record<string, string>>;
  /** The owner's own name for the session */
  readonly externalId?: string;
  /** The name of the key that created it */
  readonly key?: string;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** When this entry last changed */
  readonly changedAt: string;
  /** ISO 8601, UTC */
  readonly expiresAt: string;
  /** The seq of the commit that last changed this entry */
  readonly seq: number;
}

export interface OpenSession {
  /** Default: all except review, which a key cannot grant */
  readonly scopes?: readonly Scope[];
  /** Who acts: an id and, if you like, a name */
  readonly actor?: ActorClaim;
  /** Default 24 hours; never longer than the key */
  readonly ttlMs?: number;
}

export interface SessionChanges {
  /** The changes, in order */
  readonly changes: readonly SessionChange[];
  /** A number in the order of the owner's changes */
  readonly nextAfter: number;
  /** A number in the order of the owner's changes */
  readonly head: number;
  /** There is more than shown */
  readonly more: boolean;
}

export type SessionChange =
  | {
      /** A number in the order of the owner's changes */
      readonly number: number;
      /** The session */
      readonly session: ListedSession;
    }
  | {
      /** A number in the order of the owner's changes */
      readonly number: number;
      /** The session was purged */
      readonly removed: true;
      /** The session */
      readonly session: {
        /** Its id */
        readonly id: string;
      };
    };

export interface ListedTemplate {
  /** Its name */
  readonly name: string;
  /** Its version */
  readonly version: number;
  /** When this version was stored */
  readonly createdAt: string;
  /** The name of the key that stored it */
  readonly createdBy: string;
  /** ISO 8601, UTC */
  readonly retiredAt?: string;
}

export interface TemplateAnswer {
  readonly template: ListedTemplate & {
    /** The initial content of its sessions */
    readonly definition: TemplateDefinition;
  };
}

export interface TemplateDefinition {
  /** One line; null removes it */
  readonly title?: string | null;
  /** JSON Schema 2020-12 whose properties are the fields */
  readonly schema?: JsonObject | null;
  /** Whether a review is required, and how many approvals */
  readonly review?: {
    /** Whether a review is needed */
    readonly required: boolean;
    /** How many different participants must approve */
    readonly approvals: number;
    /** If true, reviewers must be signed in with the OpenID provider of this server */
    readonly identity?: boolean;
  };
  /** Default 7 days; allowed by default: 1 s to 90 days */
  readonly ttlMs?: number;
  /** The session expires this long after its last write, append or resume; at least 2 days. If ttlMs is absent, this is also the initial lifetime */
  readonly idleTtlMs?: number;
  /** What to do next; null removes it */
  readonly nextStep?: NextStep | null;
  /** What the server decides after a stop */
  readonly policy?: Policy | null;
  /** Names with values, to find sessions by */
  readonly labels?: Readonly<Record<string, string>>;
  /** The session and its files never leave this jurisdiction; allowed only if the server supports it */
  readonly jurisdiction?: Jurisdiction;
  /** Where most of its requests come from; only a hint */
  readonly locationHint?: LocationHint;
  /** Default texts for links to people */
  readonly links?: {
    /** The question at the top of the page */
    readonly question?: string;
    /** The text on the submit button */
    readonly submitLabel?: string;
    /** A note for whoever continues */
    readonly note?: string;
    readonly showTitle?: boolean;
  };
}
