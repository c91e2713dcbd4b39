/** What the alarm tells of a session: in one commit, however many are due, and each once. */
import { SYSTEM } from "../domain/participants/actor";
import { dueNotices, nextNoticeAt, withoutReminders, type Watched } from "../domain/notices/due";
import { endpointsOf } from "../domain/notices/stored-endpoint";
import { isTerminal } from "../domain/session/state";
import type { Loaded } from "../storage/session-store";
import { commitOne } from "./commit";
import type { Room } from "./room";

export function tellWhatIsDue(room: Room, now: number): void {
  const { store } = room;
  const loaded = store.load();
  const due = loaded === null ? null : dueNotices(watchedOf(room, loaded), now);
  if (loaded === null || due === null) return;
  const participants = withoutReminders(loaded.participants, due.reminded);
  commitOne(
    room,
    loaded.session,
    {
      by: { number: null, actor: SYSTEM },
      facts: due.facts,
      beside: () => store.keepNews(due.news, true),
      row: { after: ({ session }) => ({ ...loaded, session, participants }), adds: false },
    },
    now,
  );
}

/** When the alarm has to come for a notice. */
export const noticeDueAt = (room: Room, loaded: Loaded, now: number): number =>
  isTerminal(loaded.session.state) ? Infinity : nextNoticeAt(watchedOf(room, loaded), now);

function watchedOf({ store }: Room, { session, participants }: Loaded): Watched {
  const news = store.news();
  const isWatched = session.belongs !== null || endpointsOf(news).length > 0;
  return { session, participants, news, isWatched };
}
