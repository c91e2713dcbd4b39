/**
 * What a commit gives to tell, noted in the transaction of that commit, and what still is to be told.
 * Sessions without endpoints note nothing and pay nothing.
 */
import { endpointsOf, withRings } from "../domain/notices/stored-endpoint";
import { waitingSince, waitsFor } from "../domain/owners/waiting";
import type { Session } from "../domain/session/session";
import type { CommitRecord } from "../storage/commit-log";
import type { Loaded } from "../storage/session-store";
import type { Desk } from "./desk";

/** `loaded` is the session's row after the commit where it changes: then the news goes into it. */
export function noteNews(
  { store, jobs }: Desk,
  before: Session | null,
  { commit, at }: CommitRecord,
  loaded: Loaded | null,
): void {
  const { session } = commit;
  // A session that only begins has nobody to tell yet, and its row is not there to be asked.
  if (before === null) return;
  const news = store.news();
  if (endpointsOf(news).length === 0) return;
  const participants = (loaded ?? store.load())?.participants ?? [];
  const waits = waitsFor(session, participants, () => jobs.hasOpen(), at);
  const waiting = waitingSince(waits, news.waiting, at);
  const rung = withRings(news, session, participants, commit, at);
  const noted = rung.waiting?.for === waiting?.for ? rung : { ...rung, waiting };
  if (noted !== news) store.keepNews(noted, loaded !== null);
}
