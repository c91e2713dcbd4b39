/** What the server answers, beside the session itself. A test holds them to the server's schemas. */
import type { LogEvent } from "../domain/log/event";
import type { Json, JsonObject } from "../domain/json";
import type { StopDecision } from "../domain/stops/stop";
import type { OwnEvents, SessionEvent } from "./events";
import type { Fields, Shown } from "./fields";
import type * as wire from "./wire";
import type { HandoffView as HandoffShown, SessionView } from "../domain/session/view";

/** One page of the log. */
export interface EventsPage<E = LogEvent> {
  /** The events, in order. */
  readonly events: readonly E[];
  /** The seq of the last event of the log. */
  readonly head: number;
  /** Give this as `after` for the next page. */
  readonly nextAfter: number;
  /** There are more events than on this page. */
  readonly more: boolean;
}

/** One page of a filtered log. */
export interface AuditPage<E = LogEvent> extends Omit<EventsPage<E>, "nextAfter"> {
  /** Give this as `cursor` for the next page. */
  readonly nextCursor: number;
}

/** The seqs that the events got. */
export type Appended = wire.Appended;

/** A session as its owner's list shows it. */
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

/** Whether a resume would succeed, and how far one is behind. */
export type Resumable = wire.Resumable;

/** Whether a submit would pass. */
export interface Validation {
  /** True where nothing is missing or wrong. */
  readonly valid: boolean;
  /** What is missing or wrong, by field. */
  readonly errors: readonly {
    readonly field: string;
    readonly problem: "missing" | "invalid";
    readonly message: string;
  }[];
  /** The session as it is; nothing was written. */
  readonly session: SessionView;
}

/** What a resume gave. */
export interface Resumed<E extends object = OwnEvents> {
  /** `fresh` where the token no longer opened the session and a new one was begun. */
  readonly outcome: "resumed" | "fresh";
  /** Why the session is a new one, where it is. */
  readonly warning?: {
    readonly code: string;
    readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
    readonly reason: string;
  };
  /** The events since the time before. */
  readonly events: readonly SessionEvent<E>[];
  /** The seq of the last event of the log. */
  readonly head: number;
  /** There are more events than given; `page` and `events` have them. */
  readonly more: boolean;
}

/** What pausing gave. */
export interface Paused<F extends object = Fields> {
  /** The session after it. */
  readonly session: SessionView<Shown<F>>;
  /** True where nothing changed. */
  readonly already: boolean;
}

/** A participant that was made, as its maker sees it. */
export interface HandoffView extends HandoffShown {
  /** Of a link just made: what to send to the person, its code to type or say, and its QR code as SVG. */
  readonly url?: string;
  /** The code of the link, to type or say. */
  readonly code?: string;
  /** An image of the link's QR code. */
  readonly qrUrl?: string;
}

/** A link for a person. Whoever has the address can open it. */
export interface LinkMade {
  /** The handoff, with its address, code and QR code. */
  readonly handoff: HandoffView & Required<Pick<HandoffView, "url" | "code" | "qrUrl">>;
}

/** A participant for another agent. */
export interface HandoffMade {
  /** The handoff. */
  readonly handoff: HandoffView;
  /** The first token of the new participant. Give it to whoever goes on; it is not kept here. */
  readonly participantToken: string;
}

/** Where notices are posted; of its address only the origin. */
export type Endpoint = wire.NoticeEndpoint;
/** One notice on its way to an endpoint, with its attempts. */
export type Delivery = wire.Delivery;

/** A page of an endpoint's deliveries. */
export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  /** Where the next page goes on; null at the end. */
  readonly nextCursor: number | null;
}

/** An endpoint that was just registered. */
export interface EndpointMade {
  /** The endpoint, without its address. */
  readonly endpoint: wire.NoticeEndpoint;
  /** Signs what is posted; not kept here. */
  readonly secret: string;
}

/** What the server says to a stop. */
export interface Stopped {
  /** What to do: wait and resume, begin anew, or stop. */
  readonly decision: StopDecision;
  /** The seq of the report in the log. */
  readonly seq: number;
}

/** A verified copy of the document at a seq. */
export type Checkpoint = wire.Checkpoint;

/** A checkpoint with its document. */
export type CheckpointContent = Checkpoint & {
  /** The document as it was. */
  readonly document: JsonObject;
};

/** One session of a line of forks. */
export type LineageEntry = wire.Lineage["lineage"][number];

/** A file of a session. */
export interface Upload {
  /** Its id, `upl_…`. */
  readonly id: string;
  /** The field it belongs to; null where none. */
  readonly field: string | null;
  /** Its name. */
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** Its size in bytes. */
  readonly size: number;
  readonly [member: string]: unknown;
}

/** A file, and the session with it. */
export interface Uploaded {
  /** The session after it. */
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
  /** Random text that stands before the value when it is hashed. */
  readonly salt: string;
  /** What stands in the session instead of the value. */
  readonly hash: string;
}

/** A signed head of the log. */
export interface Proof {
  /** The session. */
  readonly sessionId: string;
  /** The seq up to which the chain goes. */
  readonly seq: number;
  /** The chain's hash at that seq, in hex. */
  readonly chain: string;
  /** When it was signed, ISO 8601. */
  readonly at: string;
  /** Which key signed; `/.well-known/baton-keys.json` has it. */
  readonly keyId: string;
  /** Ed25519 over the other members as RFC 8785 JSON, base64url. */
  readonly signature: string;
}

/** What a write gives that people are held to later. */
export interface Proven {
  /** A signed head of the log with this write in it; null where the server does not sign. */
  readonly proof: Proof | null;
}

/** That a session was removed; signed where the server signs. */
export interface Certificate extends Omit<Proof, "keyId" | "signature"> {
  /** The SHA-256 of each file that was removed. */
  readonly files: readonly string[];
  /** The SHA-256 of each piece of large content that was removed. */
  readonly blobs: readonly string[];
  /** It is a certificate of a purge. */
  readonly purged: true;
  /** Which key signed; absent where the server does not sign. */
  readonly keyId?: string;
  /** The signature; absent where the server does not sign. */
  readonly signature?: string;
}
