/** The notices of one commit as they are told, composed from the log when they are told. */
import { eventsIn } from "../domain/log/event-line";
import type { LogEvent } from "../domain/log/event";
import { noticesIn, type Notice, type NoticeContext } from "../domain/notices/notice";
import type { LoadedSession } from "../storage/session-store";
import type { SessionContext } from "./session-context";

/** `first` is the seq with which the commit begins. Nothing where it was trimmed away. */
export function composeNotices(
  context: SessionContext,
  loaded: LoadedSession,
  first: number,
): readonly (Notice & { readonly event: LogEvent })[] {
  const commit = context.store.commitAt(first);
  if (commit === null) return [];
  return noticesIn(eventsIn([commit.lines]), contextOf(context, loaded, commit.last));
}

function contextOf(
  context: SessionContext,
  { session }: LoadedSession,
  last: number,
): NoticeContext {
  const { waiting } = context.store.outbox();
  const { title, labels, belongs } = session;
  const chain = context.store.chainAt(last)?.chain ?? "";
  return {
    sessionId: context.id,
    waiting: waiting && { for: waiting.for, since: new Date(waiting.since).toISOString() },
    title,
    labels,
    externalId: belongs?.externalId,
    owner: belongs?.owner,
    // What was committed before there was a chain has none.
    chain: chain === "" ? undefined : chain,
  };
}
