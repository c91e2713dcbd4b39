/**
 * Derives the outbox messages of a commit and stores them in the transaction of that commit. A
 * session without an owner or endpoints stores nothing and pays nothing.
 */
import { isNotice } from "../domain/notices/catalogue";
import { endpointsOf, enqueueNotices } from "../domain/notices/stored-endpoint";
import { enqueueListing } from "../domain/owners/outbox";
import { waitingSince, waitReasonOf } from "../domain/owners/waiting";
import type { Session } from "../domain/session/session";
import type { CommitRecord } from "../storage/commit-log";
import type { LoadedSession } from "../storage/session-store";
import type { SessionContext } from "./session-context";

/**
 * `loaded` is the session's row after the commit if it changes: then the outbox is written with it.
 */
export function enqueueMessages(
  { store, jobs }: SessionContext,
  before: Session | null,
  { commit, at }: CommitRecord,
  loaded: LoadedSession | null,
): void {
  const { session, last } = commit;
  const isListed = session.belongs !== null;
  // A session that is being created has no endpoint yet.
  if (before === null && !isListed) return;
  const outbox = store.outbox();
  if (!isListed && endpointsOf(outbox).length === 0) return;
  const participants = (loaded ?? store.load())?.participants ?? [];
  const waitReason = waitReasonOf(session, participants, () => jobs.hasOpen(), at);
  const waiting = waitingSince(waitReason, outbox.waiting, at);
  const withNotices = enqueueNotices(outbox, session, participants, commit, at);
  const noticeSeq = commit.events.some(({ type }) => isNotice(type)) ? commit.first : null;
  const withListing = isListed
    ? enqueueListing(withNotices, noticeSeq, before, session, waiting, last, at)
    : withNotices;
  const updated =
    withListing.waiting?.for === waiting?.for ? withListing : { ...withListing, waiting };
  if (updated !== outbox) store.saveOutbox(updated, loaded !== null);
}
