/**
 * Reads the notices of one session from its log by a cursor, which is a seq. If the log was trimmed past
 * the cursor, reading continues from the floor and the page is marked as truncated.
 */
import type { Failure } from "../domain/failure";
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import type { NoticeType } from "../domain/notices/catalogue";
import { noticesIn, type Notice } from "../domain/notices/notice";
import type { SessionView } from "../domain/session/view";
import { awaitEvents } from "./await-events";
import type { Gateway, AsyncReply } from "./gateway";
import type { UnverifiedCredential } from "./session-calls";

interface NoticeQuery {
  readonly name: NoticeType;
  /** Null: from now on. */
  readonly cursor: number | null;
  /** Older notices are omitted, whatever the cursor is. */
  readonly maxAgeMs: number | undefined;
  readonly limit: number;
  /** How long to wait for the next notice if there is none yet. */
  readonly waitMs: number;
}

export interface NoticePage {
  readonly session: SessionView;
  readonly events: readonly LogEvent[];
  readonly cursor: number;
  /** Some notices between the given cursor and the first of these are missing. */
  readonly truncated: boolean;
  readonly hasMore: boolean;
}

export async function noticesAfter(
  gateway: Gateway,
  credential: UnverifiedCredential,
  query: NoticeQuery,
): AsyncReply<NoticePage> {
  const reply = await gateway.get(credential);
  if (!reply.ok) return reply;
  const session = reply.value.view;
  if (query.cursor === null) {
    const page = { events: [], cursor: session.head, truncated: false, hasMore: false };
    return { ok: true, value: { session, ...page } };
  }
  const read = await readFrom(gateway, credential, query, query.cursor);
  if (!read.ok) return read;
  const { texts, nextAfter, more, from } = read.value;
  const found = eventsIn(texts);
  const events = found.filter((event) => isWithinAge(event, query.maxAgeMs, Date.now()));
  const truncated = from > query.cursor || events.length < found.length;
  return { ok: true, value: { session, events, cursor: nextAfter, truncated, hasMore: more } };
}

/** `from` is the cursor, or the floor of the log if that is higher. */
async function readFrom(
  gateway: Gateway,
  credential: UnverifiedCredential,
  query: NoticeQuery,
  from: number,
) {
  const { name, limit, waitMs } = query;
  const types = [name];
  const page = await gateway.events(credential, "events", { after: from, types, limit });
  const floor = page.ok ? null : floorIn(page.failure);
  if (floor !== null) return readFrom(gateway, credential, { ...query, waitMs: 0 }, floor);
  if (!page.ok || waitMs === 0 || page.value.count > 0 || page.value.more || page.value.ended) {
    return page.ok ? { ok: true as const, value: { ...page.value, from } } : page;
  }
  const follower = gateway.follow(credential, page.value.nextAfter, types);
  const awaited = await awaitEvents(follower, waitMs, limit);
  return awaited.ok ? { ok: true as const, value: { ...awaited.value, from } } : awaited;
}

/** The floor of the log if a read was refused because of a trim. */
export const floorIn = (failure: Failure): number | null =>
  failure.code === "replay_gap" && "trimmed" in failure ? failure.trimmed.floor : null;

export const isWithinAge = ({ at }: LogEvent, maxAgeMs: number | undefined, now: number): boolean =>
  maxAgeMs === undefined || Date.parse(at) >= now - maxAgeMs;

/** As notices; `waiting` is what the session waits for now. */
export const toNotices = (
  { id, title, labels = {}, externalId, owner }: SessionView,
  events: readonly LogEvent[],
  waiting: Notice["data"]["waiting"],
): readonly (Notice & { readonly event: LogEvent })[] =>
  noticesIn(events, { sessionId: id, waiting, title, labels, externalId, owner });
