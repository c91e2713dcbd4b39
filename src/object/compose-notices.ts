/** The notices of one commit as they are told, composed from the log when they are told. */
import { eventsIn } from "../domain/log/event-line";
import type { LogEvent } from "../domain/log/event";
import { noticesIn, type Notice, type NoticeContext } from "../domain/notices/notice";
import type { Loaded } from "../storage/session-store";
import type { Room } from "./room";

/** `first` is the seq with which the commit begins. Nothing where it was trimmed away. */
export function composeNotices(
  room: Room,
  loaded: Loaded,
  first: number,
): readonly (Notice & { readonly event: LogEvent })[] {
  const commit = room.store.commitAt(first);
  if (commit === null) return [];
  return noticesIn(eventsIn([commit.lines]), contextOf(room, loaded, commit.last));
}

function contextOf(room: Room, { session }: Loaded, last: number): NoticeContext {
  const { waiting } = room.store.news();
  const { title, labels, belongs } = session;
  const chain = room.store.chainAt(last)?.chain ?? "";
  return {
    sessionId: room.id,
    waiting: waiting && { for: waiting.for, since: new Date(waiting.since).toISOString() },
    title,
    labels,
    externalId: belongs?.externalId,
    owner: belongs?.owner,
    // What was committed before there was a chain has none.
    chain: chain === "" ? undefined : chain,
  };
}
