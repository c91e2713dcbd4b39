/**
 * Tasks of a session that the alarm runs when they are due: expiry, resumes, ended links, notices.
 */
import {
  dueNotices,
  nextNoticeAt,
  withoutReminders,
  type DueNoticeContext,
} from "../domain/notices/due-notices";
import { endpointsOf } from "../domain/notices/stored-endpoint";
import { isTerminal } from "../domain/session/state";
import type { LoadedSession } from "../storage/session-store";
import { commitBySystem } from "./commit";
import type { SessionContext } from "./session-context";
import { dueTask } from "../domain/session/expiry";
import { endedLinks, linkExpiredEvent } from "../domain/links/link-answers";
import type { Participant } from "../domain/participants/participant";
import { loadExisting } from "./gate";
import type { NewServerEvent } from "../domain/log/event";
import { tokenEvent } from "../domain/participants/participant-rules";
import { withJobCancellations } from "./overdue-jobs";

/** Commits all notices that are due together, each of them once. */
export function recordDueNotices(context: SessionContext, now: number): void {
  const { store } = context;
  const loaded = store.load();
  const due = loaded === null ? null : dueNotices(noticeContextOf(context, loaded), now);
  if (loaded === null || due === null) return;
  commitBySystem(context, loaded, due.events, now, {
    extraWrites: () => store.saveOutbox(due.outbox, true),
    participants: withoutReminders(loaded.participants, due.reminded),
  });
}

/** When the alarm has to run for a notice. */
export const noticeDueAt = (context: SessionContext, loaded: LoadedSession, now: number): number =>
  isTerminal(loaded.session.state) ? Infinity : nextNoticeAt(noticeContextOf(context, loaded), now);

function noticeContextOf(
  { store }: SessionContext,
  { session, participants }: LoadedSession,
): DueNoticeContext {
  const outbox = store.outbox();
  const hasReceivers = session.belongs !== null || endpointsOf(outbox).length > 0;
  return { session, participants, outbox, hasReceivers };
}

/**
 * A scheduled resume is due. Announced once, to all listeners, whether or not the reporter listens.
 */
export function announceResume(context: SessionContext, now: number): void {
  const loaded = context.store.load();
  if (loaded === null || dueTask(loaded.session, now) !== "announce_resume") return;
  const { resumeAt, attempt } = loaded.session.automation;
  const payload = {
    attempt,
    scheduledFor: new Date(resumeAt ?? now).toISOString(),
    outcome: "success",
  } as const;
  commitBySystem(context, loaded, [{ type: "resume.due", payload }], now);
}

/** Links that ended without an answer. Each is recorded once, so that nobody has to poll for it. */
export function recordEndedLinks(context: SessionContext, now: number): void {
  const loaded = loadExisting(context, now);
  if (loaded === null || isTerminal(loaded.session.state)) return;
  const ended = endedLinks(loaded.session, loaded.participants, now);
  if (ended.length === 0) return;
  const withEndTold = (one: Participant): Participant =>
    one.link !== undefined && ended.includes(one)
      ? { ...one, link: { ...one.link, endTold: true } }
      : one;
  const participants = loaded.participants.map(withEndTold);
  commitBySystem(context, loaded, ended.map(linkExpiredEvent), now, { participants });
}

/**
 * Records once that the session has expired. Responses have reported it since then; now it is in
 * the log as well.
 */
export function recordExpiry(context: SessionContext, now: number): void {
  const loaded = context.store.load();
  if (loaded === null || dueTask(loaded.session, now) !== "record_expiry") return;
  const { session, participants } = loaded;
  const expired: NewServerEvent = {
    type: "session.expired",
    payload: { expiresAt: new Date(session.expiresAt).toISOString() },
    movesVersion: true,
    state: "expired",
  };
  const tokens = participants
    .filter((one) => !session.revoked.includes(one.number))
    .map((one) => tokenEvent("token.expired", one.number, one.tokenHash));
  const expiry = { events: [expired, ...tokens], outcome: {} };
  const { decision, jobs } = withJobCancellations(context, expiry, now);
  commitBySystem(context, loaded, decision.events, now, {
    extraWrites: () => {
      for (const job of jobs) context.jobs.update(job);
    },
  });
}
