/** Events: as the rules of the domain return them, and as the log contains them, with their numbers. */
import type { Actor } from "../participants/actor";
import type { JsonObject } from "../json";
import type { State } from "../session/state";
import type { EventPayloads, EventType } from "./payloads";
import type { Trace } from "./trace";

/** An event without its number: of the server, of a client, or copied from another session's log. */
export interface NewEvent {
  readonly type: string;
  readonly payload: object;
  /** Set if the event changes the document or the state. Its seq then becomes the version. */
  readonly movesVersion?: true;
  /** The state after the event, if it changes. */
  readonly state?: State;
}

interface TypedEvent<T extends EventType> extends NewEvent {
  readonly type: T;
  readonly payload: EventPayloads[T];
}

/** A new event of the server. EventPayloads defines its payload. */
export type NewServerEvent<T extends EventType = EventType> = {
  readonly [K in T]: TypedEvent<K>;
}[T];

/**
 * An event as it is stored and sent: these keys, in this order. `trace` is appended
 * to the JSON text when the event is stored.
 */
export interface LogEvent {
  /** Its number in the log, from 1 without gaps. */
  readonly seq: number;
  /** A namespaced type, such as `fields.updated`. */
  readonly type: string;
  /** When it happened, by the server's clock, ISO 8601. */
  readonly at: string;
  /** The author's own name and id, which the server does not verify. The server sets only the kind. */
  readonly actor: Actor;
  /** The participant that wrote it; null for the server, for owners' keys and for executors. */
  readonly participant: string | null;
  /** The state of the session after it. */
  readonly state: State;
  /** The version of the session after it. */
  readonly version: number;
  /** What happened. */
  readonly payload: JsonObject;
  /** The trace it belongs to, if the request had one. */
  readonly trace?: Trace;
}

/**
 * Namespaces that only the server writes, including those that later releases will write. An event
 * that a client appended under such a name could be mistaken for the server's. `replay` is
 * reserved for the message `replay.done`, which ends the replay on a stream.
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
  "lease",
  "once",
  "message",
  "replay",
]);

export const EVENT_TYPE_PATTERN = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+$/;

/** A type, or a namespace such as `job.*`. */
export const EVENT_TYPE_FILTER = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*\.([A-Za-z0-9_-]+|\*)$/;

export const isServerType = (type: string): boolean =>
  SERVER_NAMESPACES.has(type.slice(0, type.indexOf(".")).toLowerCase());

/** Events that a trim may remove if a checkpoint after them exists: those of clients and of jobs. */
export const isTrimmable = (type: string): boolean =>
  !isServerType(type) || type.startsWith("job.");
