/**
 * Notices that come from the alarm: that a session expires soon, that it has waited for long, that
 * something asked for is still open. Each is said once, and only if it is still true when its time
 * comes. The first two are for those who are not connected, so a session that has neither an owner nor
 * an endpoint does not pay for them.
 */
import type { NewEvent } from "../log/event";
import { handoffIds } from "../ids";
import type { OutboxState } from "../owners/outbox";
import type { Participant } from "../participants/participant";
import { isParticipantExpired } from "../session/expiry";
import type { Session } from "../session/session";
import { isTerminal } from "../session/state";

const DAY_MS = 24 * 60 * 60 * 1000;
/** So much of its life before the end a session is said to expire soon, but at most a day. */
const EXPIRING_SHARE = 10;
/** A session that waits for the same thing that long is told. */
const LONG_WAIT_MS = DAY_MS;

export interface DueNoticeContext {
  readonly session: Session;
  readonly participants: readonly Participant[];
  readonly outbox: OutboxState;
  /** Is there anybody to be told? */
  readonly hasReceivers: boolean;
}

interface DueNotices {
  readonly facts: readonly NewEvent[];
  /** Numbers of participants whose reminder was said. */
  readonly reminded: readonly number[];
  readonly outbox: OutboxState;
}

export function dueNotices(watched: DueNoticeContext, now: number): DueNotices | null {
  const { session, participants, outbox, hasReceivers } = watched;
  if (isTerminal(session.state) || now >= session.expiresAt) return null;
  const facts: NewEvent[] = [];
  let noted = outbox;
  if (hasReceivers && now >= expiringAt(session) && outbox.expiring !== session.expiresAt) {
    const expiresAt = new Date(session.expiresAt).toISOString();
    facts.push({ type: "session.expiring", payload: { expiresAt } });
    noted = { ...noted, expiring: session.expiresAt };
  }
  if (hasReceivers && now >= longWaitAt(outbox)) {
    const { waiting } = outbox;
    const since = waiting?.since ?? now;
    const payload = { for: waiting?.for ?? "agent", since: new Date(since).toISOString() };
    facts.push({ type: "wait.long", payload });
    noted = { ...noted, longWait: since };
  }
  if (now >= inputReminderAt(session)) {
    facts.push({ type: "handoff.reminded", payload: { for: "input" } });
  }
  const late = participants.filter((one) => now >= handoffReminderAt(one, session, now));
  facts.push(...late.map(reminder));
  if (facts.length === 0) return null;
  return { facts, reminded: late.map(({ number }) => number), outbox: noted };
}

/** When the alarm has to come for one of them. */
export const nextNoticeAt = (watched: DueNoticeContext, now: number): number => {
  const { session, participants, outbox, hasReceivers } = watched;
  if (isTerminal(session.state)) return Infinity;
  return Math.min(
    hasReceivers && outbox.expiring !== session.expiresAt ? expiringAt(session) : Infinity,
    hasReceivers ? longWaitAt(outbox) : Infinity,
    inputReminderAt(session),
    ...participants.map((one) => handoffReminderAt(one, session, now)),
  );
};

const expiringAt = ({ createdAt, expiresAt }: Session): number =>
  expiresAt - Math.min(DAY_MS, (expiresAt - Date.parse(createdAt)) / EXPIRING_SHARE);

const longWaitAt = ({ waiting, longWait }: OutboxState): number =>
  waiting === null || longWait === waiting.since ? Infinity : waiting.since + LONG_WAIT_MS;

/** Once somebody has answered, nothing waits any more. */
const inputReminderAt = ({ state, automation }: Session): number =>
  state === "awaiting_input" ? (automation.remindAt ?? Infinity) : Infinity;

/** A person has answered by an answer or a no, not by a draft that was saved; an agent by any write. */
const hasAnswered = ({ link, last }: Participant): boolean =>
  link === undefined
    ? last !== null
    : link.answeredAt !== undefined || link.declinedAt !== undefined;

/** A handoff waits until who it is for has answered, or can no longer. */
const handoffReminderAt = (one: Participant, { revoked }: Session, now: number): number =>
  one.remindAt === undefined ||
  hasAnswered(one) ||
  revoked.includes(one.number) ||
  isParticipantExpired(one, now)
    ? Infinity
    : one.remindAt;

const reminder = ({ number, actor }: Participant): NewEvent => ({
  type: "handoff.reminded",
  payload: {
    for: "handoff",
    ...handoffIds(number),
    to: actor.kind === "human" ? "human" : "agent",
  },
});

/** What was said is not said again. */
export const withoutReminders = (
  participants: readonly Participant[],
  reminded: readonly number[],
): readonly Participant[] =>
  participants.map((one) => {
    if (!reminded.includes(one.number)) return one;
    const { remindAt: _, ...rest } = one;
    return rest;
  });
