/** What the alarm does to a session when it is due: expiries, resumes, ended links, notices. */
import { dueNotices, nextNoticeAt, withoutReminders, type Watched } from "../domain/notices/due";
import { endpointsOf } from "../domain/notices/stored-endpoint";
import { isTerminal } from "../domain/session/state";
import type { Loaded } from "../storage/session-store";
import { commitBySystem } from "./commit";
import type { Room } from "./room";
import { dueNow } from "../domain/session/expiry";
import { endedLinks, expiredFact } from "../domain/links/answering";
import type { Participant } from "../domain/participants/participant";
import { loadLiving } from "./gate";
import type { NewEvent } from "../domain/log/event";
import { tokenEvent } from "../domain/participants/participants";
import { endingWithJobs } from "./overdue-jobs";

/** In one commit, however many are due, and each once. */
export function tellWhatIsDue(room: Room, now: number): void {
  const { store } = room;
  const loaded = store.load();
  const due = loaded === null ? null : dueNotices(watchedOf(room, loaded), now);
  if (loaded === null || due === null) return;
  commitBySystem(room, loaded, due.facts, now, {
    beside: () => store.keepNews(due.news, true),
    participants: withoutReminders(loaded.participants, due.reminded),
  });
}

/** When the alarm has to come for a notice. */
export const noticeDueAt = (room: Room, loaded: Loaded, now: number): number =>
  isTerminal(loaded.session.state) ? Infinity : nextNoticeAt(watchedOf(room, loaded), now);

function watchedOf({ store }: Room, { session, participants }: Loaded): Watched {
  const news = store.news();
  const isWatched = session.belongs !== null || endpointsOf(news).length > 0;
  return { session, participants, news, isWatched };
}

/** A resume that was put off is due: said once, to everybody who listens, whether or not the reporter is. */
export function announceResume(room: Room, now: number): void {
  const loaded = room.store.load();
  if (loaded === null || dueNow(loaded.session, now) !== "announce_resume") return;
  const { resumeAt, attempt } = loaded.session.automation;
  const payload = {
    attempt,
    scheduledFor: new Date(resumeAt ?? now).toISOString(),
    outcome: "success",
  } as const;
  commitBySystem(room, loaded, [{ type: "resume.due", payload }], now);
}

/** Links that ended without an answer: said once each, so that whoever waits for one need not ask. */
export function tellEndedLinks(room: Room, now: number): void {
  const loaded = loadLiving(room, now);
  if (loaded === null || isTerminal(loaded.session.state)) return;
  const ended = endedLinks(loaded.session, loaded.participants, now);
  if (ended.length === 0) return;
  const told = (one: Participant): Participant =>
    one.link !== undefined && ended.includes(one)
      ? { ...one, link: { ...one.link, endTold: true } }
      : one;
  const participants = loaded.participants.map(told);
  commitBySystem(room, loaded, ended.map(expiredFact), now, { participants });
}

/** Records once that the time is up: what every answer has said since, now in the log as well. */
export function recordExpiry(room: Room, now: number): void {
  const loaded = room.store.load();
  if (loaded === null || dueNow(loaded.session, now) !== "record_expiry") return;
  const { session, participants } = loaded;
  const expired: NewEvent = {
    type: "session.expired",
    payload: { expiresAt: new Date(session.expiresAt).toISOString() },
    moves: true,
    state: "expired",
  };
  const tokens = participants
    .filter((one) => !session.revoked.includes(one.number))
    .map((one) => tokenEvent("token.expired", one.number, one.tokenHash));
  const ending = { facts: [expired, ...tokens], outcome: {} };
  const { decision, jobs } = endingWithJobs(room, ending, now);
  commitBySystem(room, loaded, decision.facts, now, {
    beside: () => {
      for (const job of jobs) room.jobs.update(job);
    },
  });
}
