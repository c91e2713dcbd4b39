/**
 * Notices that the alarm writes: a session expires soon, has waited for a long time, or a request
 * is still open. Each is written once, and only if it still applies when it is due. The first two
 * are for receivers that are not connected, so a session without an owner and endpoints does not
 * pay for them.
 */
import type { NewServerEvent } from "../log/event";
import { handoffIds } from "../ids";
import type { OutboxState } from "../owners/outbox";
import type { Participant } from "../participants/participant";
import { isParticipantExpired } from "../session/expiry";
import type { Session } from "../session/session";
import { isTerminal } from "../session/state";

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * The notice comes when a tenth of the session's lifetime is left, but at most a day before its
 * end.
 */
const EXPIRING_SHARE = 10;
/** How long a session waits for the same thing before the notice. */
const LONG_WAIT_MS = DAY_MS;

export interface DueNoticeContext {
  readonly session: Session;
  readonly participants: readonly Participant[];
  readonly outbox: OutboxState;
  /** Whether the session has an owner or endpoints. */
  readonly hasReceivers: boolean;
}

interface DueNotices {
  readonly events: readonly NewServerEvent[];
  /** Numbers of the participants that were reminded. */
  readonly reminded: readonly number[];
  readonly outbox: OutboxState;
}

export function dueNotices(context: DueNoticeContext, now: number): DueNotices | null {
  const { session, participants, outbox, hasReceivers } = context;
  if (isTerminal(session.state) || now >= session.expiresAt) return null;
  const events: NewServerEvent[] = [];
  let updated = outbox;
  if (hasReceivers && now >= expiringAt(session) && outbox.expiring !== session.expiresAt) {
    const expiresAt = new Date(session.expiresAt).toISOString();
    events.push({ type: "session.expiring", payload: { expiresAt } });
    updated = { ...updated, expiring: session.expiresAt };
  }
  if (hasReceivers && now >= longWaitAt(outbox)) {
    const { waiting } = outbox;
    const since = waiting?.since ?? now;
    const payload = { for: waiting?.for ?? "agent", since: new Date(since).toISOString() };
    events.push({ type: "wait.long", payload });
    updated = { ...updated, longWait: since };
  }
  if (now >= inputReminderAt(session)) {
    events.push({ type: "handoff.reminded", payload: { for: "input" } });
  }
  const overdue = participants.filter((one) => now >= handoffReminderAt(one, session, now));
  events.push(...overdue.map(reminder));
  if (events.length === 0) return null;
  return { events, reminded: overdue.map(({ number }) => number), outbox: updated };
}

/** When the alarm is needed for the next notice. */
export const nextNoticeAt = (context: DueNoticeContext, now: number): number => {
  const { session, participants, outbox, hasReceivers } = context;
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

/** After an answer, the request is no longer open. */
const inputReminderAt = ({ state, automation }: Session): number =>
  state === "awaiting_input" ? (automation.remindAt ?? Infinity) : Infinity;

/**
 * A person answers with an answer or a refusal, not with a saved draft. An agent answers with any
 * write.
 */
const hasAnswered = ({ link, last }: Participant): boolean =>
  link === undefined
    ? last !== null
    : link.answeredAt !== undefined || link.declinedAt !== undefined;

/** A handoff waits until its participant has answered or can no longer answer. */
const handoffReminderAt = (one: Participant, { revoked }: Session, now: number): number =>
  one.remindAt === undefined ||
  hasAnswered(one) ||
  revoked.includes(one.number) ||
  isParticipantExpired(one, now)
    ? Infinity
    : one.remindAt;

const reminder = ({ number, actor }: Participant): NewServerEvent => ({
  type: "handoff.reminded",
  payload: {
    for: "handoff",
    ...handoffIds(number),
    to: actor.kind === "human" ? "human" : "agent",
  },
});

/** Clears reminders that were sent, because each is sent once. */
export const withoutReminders = (
  participants: readonly Participant[],
  reminded: readonly number[],
): readonly Participant[] =>
  participants.map((one) => {
    if (!reminded.includes(one.number)) return one;
    const { remindAt: _, ...rest } = one;
    return rest;
  });
