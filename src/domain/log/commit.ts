/** Numbers the events of one accepted request and applies them to the session. */
import type { Actor } from "../participants/actor";
import { withDerivedNotices } from "../notices/derived-notices";
import { apply } from "./apply";
import { initialSession } from "./initial-session";
import { participantId } from "../ids";
import type { JsonObject } from "../json";
import type { LogEvent, NewEvent } from "./event";
import type { Session } from "../session/session";
import type { State } from "../session/state";
import type { StopReason } from "../stops/policy";

/** Who wrote an event. */
export interface EventAuthor {
  readonly actor: Actor;
  /** The number of the participant; null for the server, for owners' keys and for executors. */
  readonly number: number | null;
}

/** How an event names its participant. */
export const participantIn = ({ number }: EventAuthor): string | null =>
  number === null ? null : participantId(number);

export interface Commit {
  readonly first: number;
  readonly last: number;
  readonly actor: Actor;
  /** Empty for appended client events, which exist only as text and change nothing in the session. */
  readonly events: readonly LogEvent[];
  readonly session: Session;
  /**
   * The state before the commit; null for the first commit. Absent if the commit could not change
   * it.
   */
  readonly from?: State | null;
  /** The reason of a stop before the commit after which nobody had resumed. */
  readonly stopped?: StopReason;
}

/** `before` is null for the commit that creates the session. */
export function numberEvents(
  before: Session | null,
  head: number,
  newEvents: readonly NewEvent[],
  author: EventAuthor,
  now: number,
): Commit {
  if (newEvents.length === 0) throw new Error("a commit holds at least one event");
  const { actor } = author;
  const participant = participantIn(author);
  const at = new Date(now).toISOString();
  let session = before;
  const events = withDerivedNotices(newEvents, before?.state ?? null).map((newEvent, index) => {
    const seq = head + 1 + index;
    const event: LogEvent = {
      seq,
      type: newEvent.type,
      at,
      actor,
      participant,
      state: newEvent.state ?? session?.state ?? "draft",
      version: newEvent.movesVersion ? seq : (session?.version ?? seq),
      payload: newEvent.payload as JsonObject,
    };
    session = session === null ? initialSession(event) : apply(session, event);
    return event;
  });
  const stopped = before?.automation.stopReason;
  if (session === null) throw new Error("unreachable: there is at least one event");
  return {
    first: head + 1,
    last: head + events.length,
    actor,
    events,
    session,
    from: before?.state ?? null,
    ...(stopped === undefined ? {} : { stopped }),
  };
}
