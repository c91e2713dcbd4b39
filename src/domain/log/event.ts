/** Events: what a decision says happened, and how it stands in the log once it has its number. */
import type { Actor } from "../participants/actor";
import type { JsonObject } from "../json";
import type { State } from "../session/state";
import type { Trace } from "./trace";

/** A fact before it is numbered. */
export interface NewEvent {
  readonly type: string;
  readonly payload: JsonObject;
  /** Set where the event changes the document or the state: its seq becomes the version. */
  readonly moves?: true;
  /** The state after the event, where it changes. */
  readonly state?: State;
}

/**
 * An event as it is stored and as it is sent: these keys, in this order. The trace is added as it is
 * stored, to the text.
 */
export interface LogEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: Actor;
  readonly state: State;
  readonly version: number;
  readonly payload: JsonObject;
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
