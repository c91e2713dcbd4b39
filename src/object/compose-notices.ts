/** Composes the notices of one commit from the log at the time they are sent. */
import { eventsIn } from "../domain/log/event-line";
import type { LogEvent } from "../domain/log/event";
import { noticesIn, type Notice, type NoticeContext } from "../domain/notices/notice";
import type { LoadedSession } from "../storage/session-store";
import type { SessionContext } from "./session-context";

/** `first` is the first seq of the commit. Empty if the commit was trimmed. */
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
    // Commits from before the chain was introduced have none.
    chain: chain === "" ? undefined : chain,
  };
}
