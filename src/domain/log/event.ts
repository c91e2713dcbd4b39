/** Events: what a decision says happened, and how it stands in the log once it has its number. */
import type { Actor } from "../participants/actor";
import type { JsonObject } from "../json";
import type { State } from "../session/state";
import type { EventPayloads, EventType } from "./payloads";
import type { Trace } from "./trace";

interface Fact<T extends EventType> {
  readonly type: T;
  readonly payload: EventPayloads[T];
  /** Set where the event changes the document or the state: its seq becomes the version. */
  readonly moves?: true;
  /** The state after the event, where it changes. */
  readonly state?: State;
}

/** What is numbered: a fact of the server, or an event that a client or another session's log gave. */
export interface UnnumberedEvent {
  readonly type: string;
  readonly payload: object;
  readonly moves?: true;
  readonly state?: State;
}

/** A fact before it is numbered. Its payload is what the catalogue of payloads says of its type. */
export type NewEvent<T extends EventType = EventType> = { readonly [K in T]: Fact<K> }[T];

/**
 * An event as it is stored and as it is sent: these keys, in this order. The trace is added as it is
 * stored, to the text.
 */
export interface LogEvent {
  /** Its number in the log, from 1 without gaps. */
  readonly seq: number;
  /** A namespaced type, such as `fields.updated`. */
  readonly type: string;
  /** When, by the server's clock, ISO 8601. */
  readonly at: string;
  /** Who did it. */
  readonly actor: Actor;
  /** The state of the session after it. */
  readonly state: State;
  /** The version of the session after it. */
  readonly version: number;
  /** What happened. */
  readonly payload: JsonObject;
  /** The trace it belongs to, where the request named one. */
  readonly trace?: Trace;
}

/**
 * Namespaces only the server writes, those among them that later releases will write: what a client
 * appended under such a name before would be taken for the server's word. `replay` is the name of the
 * stream's own marker, which a client-made event must not be able to imitate.
 */
export const SERVER_NAMESPACES: ReadonlySet<string> = new Set([
  "session",
  "fields",
  "review",
  "upload",
  "handoff",
  "token",
  "job",
  "checkpoint",
  "stop",
  "resume",
  "owner",
  "endpoint",
  "notice",
  "wait",
  "proof",
  "private",
  "replay",
]);

export const EVENT_TYPE_PATTERN = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+$/;

export const isServerType = (type: string): boolean =>
  SERVER_NAMESPACES.has(type.slice(0, type.indexOf(".")).toLowerCase());

/** Events that may go when a checkpoint bridges them: those of clients and of jobs. */
export const isTrimmable = (type: string): boolean =>
  !isServerType(type) || type.startsWith("job.");
