/** What the server answers, beside the session itself. A test holds them to the server's schemas. */
import type { LogEvent } from "../domain/log/event";
import type { Json, JsonObject } from "../domain/json";
import type { StopDecision } from "../domain/stops/stop";
import type { OwnEvents, SessionEvent } from "./events";
import type { Fields, Shown } from "./fields";
import type * as wire from "./wire";
import type { HandoffView as HandoffShown, SessionView } from "../domain/session/view";

export interface EventsPage<E = LogEvent> {
  readonly events: readonly E[];
  readonly head: number;
  readonly nextAfter: number;
  readonly more: boolean;
}

export interface AuditPage<E = LogEvent> {
  readonly events: readonly E[];
  readonly head: number;
  readonly nextCursor: number;
  readonly more: boolean;
}

export type Appended = wire.Appended;

/** A session as its owner's list shows it. */
export type ListedSession = wire.ListedSession;
/** One page of the list, with counts over all sessions of the owner. */
export type SessionPage = wire.SessionList;
/** A session that changed or was purged, with the number of that change. */
export type SessionChange = wire.SessionChange;
export type SessionChanges = wire.SessionChanges;
export type ListedTemplate = wire.ListedTemplate;
/** A template in one of its versions. */
export type Template = wire.TemplateAnswer["template"];

export type Resumable = wire.Resumable;

export interface Validation {
  readonly valid: boolean;
  readonly errors: readonly {
    readonly field: string;
    readonly problem: "missing" | "invalid";
    readonly message: string;
  }[];
  readonly session: SessionView;
}

export interface Resumed<E extends object = OwnEvents> {
  readonly outcome: "resumed" | "fresh";
  /** Why the session is a new one, where it is. */
  readonly warning?: {
    readonly code: string;
    readonly requested: { readonly sessionId: string | null; readonly lastEventSeq: number | null };
    readonly reason: string;
  };
  readonly events: readonly SessionEvent<E>[];
  readonly head: number;
  readonly more: boolean;
}

/** What pausing gave. */
export interface Paused<F extends object = Fields> {
  /** The session after it. */
  readonly session: SessionView<Shown<F>>;
  /** True where nothing changed. */
  readonly already: boolean;
}

export interface HandoffView extends HandoffShown {
  /** Of a link just made: what to send to the person, its code to type or say, and its QR code as SVG. */
  readonly url?: string;
  readonly code?: string;
  readonly qrUrl?: string;
}

/** A link for a person. Whoever has the address can open it. */
export interface LinkMade {
  readonly handoff: HandoffView & Required<Pick<HandoffView, "url" | "code" | "qrUrl">>;
}

export interface HandoffMade {
  readonly handoff: HandoffView;
  /** The first token of the new participant. Give it to whoever goes on; it is not kept here. */
  readonly participantToken: string;
}

export interface EndpointMade {
  readonly endpoint: wire.NoticeEndpoint;
  /** Signs what is posted; not kept here. */
  readonly secret: string;
}

export interface Stopped {
  readonly decision: StopDecision;
  readonly seq: number;
}

export type Checkpoint = wire.Checkpoint;

export type CheckpointContent = Checkpoint & { readonly document: JsonObject };

export type LineageEntry = wire.Lineage["lineage"][number];

export interface Upload {
  readonly id: string;
  readonly field: string | null;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly [member: string]: unknown;
}

export interface Uploaded {
  readonly session: SessionView;
  readonly upload: Upload;
}

/** A signed head of the log. */
/** `hash` is SHA-256 over the text of `salt` and the RFC 8785 JSON of `value`. */
export interface PrivateValue {
  readonly field: string;
  readonly value: Json;
  readonly salt: string;
  readonly hash: string;
}

export interface Proof {
  readonly sessionId: string;
  readonly seq: number;
  readonly chain: string;
  readonly at: string;
  readonly keyId: string;
  readonly signature: string;
}

/** That a session was removed; signed where the server signs. */
export interface Certificate extends Omit<Proof, "keyId" | "signature"> {
  readonly files: readonly string[];
  readonly purged: true;
  readonly keyId?: string;
  readonly signature?: string;
}
