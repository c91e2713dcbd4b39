/**
 * Responses of the server other than the session itself. A test compares them with the server's
 * schemas.
 */
import type { LogEvent } from "../domain/log/event";
import type { Json, JsonObject } from "../domain/json";
import type { StopDecision } from "../domain/stops/stop";
import type { OwnEvents, SessionEvent } from "./events";
import type { Fields, FieldsView } from "./fields";
import type * as wire from "./wire";
import type { HandoffView as HandoffShown, SessionView } from "../domain/session/view";

/** One page of the log. */
export interface EventsPage<E = LogEvent> {
  /** The events, in order. */
  readonly events: readonly E[];
  /** The seq of the last event of the log. */
  readonly head: number;
  /** Pass this as `after` for the next page. */
  readonly nextAfter: number;
  /** There are more events after this page. */
  readonly more: boolean;
}

/** One page of a filtered log. */
export interface AuditPage<E = LogEvent> extends Omit<EventsPage<E>, "nextAfter"> {
  /** Pass this as `cursor` for the next page. */
  readonly nextCursor: number;
}

/** The seqs of the appended events. */
export type Appended = wire.Appended;

/** A session in the owner's list. */
export type ListedSession = wire.ListedSession;
/** One page of the list, with counts over all sessions of the owner. */
export type SessionPage = wire.SessionList;
/** A session that changed or was purged, with the number of that change. */
export type SessionChange = wire.SessionChange;
/** Changes of the owner's sessions, in order. */
export type SessionChanges = wire.SessionChanges;
/** A template in a list. */
export type ListedTemplate = wire.ListedTemplate;
/** A template in one of its versions. */
export type Template = wire.TemplateAnswer["template"];

/** Whether a resume would succeed, and how many events were missed. */
export type Resumable = wire.Resumable;

/** Whether a submit would succeed. */
export interface Validation {
  /** True if nothing is missing or invalid. */
  readonly valid: boolean;
  /** Missing and invalid fields. */
  readonly errors: readonly {
    readonly field: string;
    readonly problem: "missing" | "invalid";
    readonly message: string;
  }[];
  /** The session as it is; nothing was written. */
  readonly session: SessionView;
}

/** The result of a resume. */
export interface Resumed<E extends object = OwnEvents> {
  /** `fresh` if the token no longer opened the session and a new session was created. */
  readonly outcome: "resumed" | "fresh";
  /** Why a new session was created, if it was. */
  readonly warning?: {
    readonly code: string;
    readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
    readonly reason: string;
  };
  /** The events since the last resume. */
  readonly events: readonly SessionEvent<E>[];
  /** The seq of the last event of the log. */
  readonly head: number;
  /** There are more events than returned here; `page` and `events` have them. */
  readonly more: boolean;
}

/** The result of a pause. */
export interface Paused<F extends object = Fields> {
  /** The session afterwards. */
  readonly session: SessionView<FieldsView<F>>;
  /** True if nothing changed. */
  readonly already: boolean;
}

/** A handoff, as the participant that created it sees it. */
export interface HandoffView extends HandoffShown {
  /** The link to send to the person; only present just after it was created. */
  readonly url?: string;
  /** The code of the link, for typing or dictating. */
  readonly code?: string;
  /** An image of the link's QR code. */
  readonly qrUrl?: string;
}

/** A link for a person. Anyone who has the address can open it. */
export interface LinkMade {
  /** The handoff, with its address, code and QR code. */
  readonly handoff: HandoffView & Required<Pick<HandoffView, "url" | "code" | "qrUrl">>;
}

/** A participant for another agent. */
export interface HandoffMade {
  /** The handoff. */
  readonly handoff: HandoffView;
  /** The first token of the new participant. Pass it to the next agent; it is not saved here. */
  readonly participantToken: string;
}

/** A webhook endpoint; only the origin of its address is shown. */
export type Endpoint = wire.NoticeEndpoint;
/** One notice to an endpoint, with its delivery attempts. */
export type Delivery = wire.Delivery;

/** One page of an endpoint's deliveries. */
export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  /** The cursor of the next page; null at the end. */
  readonly nextCursor: number | null;
}

/** An endpoint that was just registered. */
export interface EndpointMade {
  /** The endpoint, without its address. */
  readonly endpoint: wire.NoticeEndpoint;
  /** The secret that signs deliveries; it is not saved here. */
  readonly secret: string;
}

/** The server's response to a stop report. */
export interface Stopped {
  /** What to do: wait and resume, start a new session, or stop. */
  readonly decision: StopDecision;
  /** The seq of the report in the log. */
  readonly seq: number;
}

/** A verified copy of the document at one seq. */
export type Checkpoint = wire.Checkpoint;

/** A checkpoint with its document. */
export type CheckpointContent = Checkpoint & {
  /** The document at that seq. */
  readonly document: JsonObject;
};

/** One session in a lineage of forks. */
export type LineageEntry = wire.Lineage["lineage"][number];

/** A file of a session. */
export interface Upload {
  /** Its id, `upl_…`. */
  readonly id: string;
  /** The field it belongs to; null if none. */
  readonly field: string | null;
  /** Its name. */
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** Its size in bytes. */
  readonly size: number;
  readonly [member: string]: unknown;
}

/** A file, and the session afterwards. */
export interface Uploaded {
  /** The session afterwards. */
  readonly session: SessionView;
  /** The file. */
  readonly upload: Upload;
}

/** `hash` is SHA-256 over the text of `salt` and the RFC 8785 JSON of `value`. */
export interface PrivateValue {
  /** The field's name. */
  readonly field: string;
  /** The value. */
  readonly value: Json;
  /** Random text that is prepended to the value for the hash. */
  readonly salt: string;
  /** The hash that the session shows instead of the value. */
  readonly hash: string;
}

/** A signed head of the log. */
export interface Proof {
  /** The session. */
  readonly sessionId: string;
  /** The last seq that the chain covers. */
  readonly seq: number;
  /** The hash of the chain at that seq, in hex. */
  readonly chain: string;
  /** When it was signed, ISO 8601. */
  readonly at: string;
  /** The signing key; `/.well-known/baton-keys.json` lists it. */
  readonly keyId: string;
  /** Ed25519 over the other members as RFC 8785 JSON, base64url. */
  readonly signature: string;
}

/** The additional result of a write that is proven. */
export interface Proven {
  /** A signed head of the log that includes this write; null if the server does not sign. */
  readonly proof: Proof | null;
}

/** Certifies that a session was purged; signed if the server signs. */
export interface Certificate extends Omit<Proof, "keyId" | "signature"> {
  /** The SHA-256 of each file that was removed. */
  readonly files: readonly string[];
  /** The SHA-256 of each piece of large content that was removed. */
  readonly blobs: readonly string[];
  /** Marks a certificate of a purge. */
  readonly purged: true;
  /** The signing key; absent if the server does not sign. */
  readonly keyId?: string;
  /** The signature; absent if the server does not sign. */
  readonly signature?: string;
}
