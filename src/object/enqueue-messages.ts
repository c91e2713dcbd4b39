/**
 * What a commit gives to tell, noted in the transaction of that commit, and what still is to be told.
 * Sessions that belong to nobody and have no endpoints note nothing and pay nothing.
 */
import { isNotice } from "../domain/notices/catalogue";
import { endpointsOf, enqueueNotices } from "../domain/notices/stored-endpoint";
import { enqueueListing } from "../domain/owners/outbox";
import { waitingSince, waitReasonOf } from "../domain/owners/waiting";
import type { Session } from "../domain/session/session";
import type { CommitRecord } from "../storage/commit-log";
import type { LoadedSession } from "../storage/session-store";
import type { SessionContext } from "./session-context";

/** `loaded` is the session's row after the commit where it changes: then the news goes into it. */
export function enqueueMessages(
  { store, jobs }: SessionContext,
  before: Session | null,
  { commit, at }: CommitRecord,
  loaded: LoadedSession | null,
): void {
  const { session, last } = commit;
  const isListed = session.belongs !== null;
  // A session that only begins has no endpoint yet.
  if (before === null && !isListed) return;
  const news = store.outbox();
  if (!isListed && endpointsOf(news).length === 0) return;
  const participants = (loaded ?? store.load())?.participants ?? [];
  const waits = waitReasonOf(session, participants, () => jobs.hasOpen(), at);
  const waiting = waitingSince(waits, news.waiting, at);
  const rung = enqueueNotices(news, session, participants, commit, at);
  const ring = commit.events.some(({ type }) => isNotice(type)) ? commit.first : null;
  const told = isListed ? enqueueListing(rung, ring, before, session, waiting, last, at) : rung;
  const noted = told.waiting?.for === waiting?.for ? told : { ...told, waiting };
  if (noted !== news) store.saveOutbox(noted, loaded !== null);
}
