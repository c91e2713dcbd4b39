/**
 * How a person's part ends: with an answer or with a refusal. The log records both for the link, so
 * that its sender does not have to infer it from the session's state.
 */
import type { Command, Decline } from "../session/command";
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewServerEvent } from "../log/event";
import { handoffIds } from "../ids";
import { operationRow } from "../session/operation";
import type { Link, Participant } from "../participants/participant";
import { ok, omitUndefined } from "../result";
import type { Session } from "../session/session";

/** The operations that end a person's part, with the answer that the log records. */
const ANSWERS: Readonly<Partial<Record<Command["operation"], string>>> = {
  submit: "submitted",
  approve: "approved",
  reject: "rejected",
  requestChanges: "changes_requested",
};

/** Adds the answer event if the participant came by a link and this operation ends its part. */
export function withAnswerEvent(
  command: Command,
  context: DecisionContext,
  result: DecisionResult,
): DecisionResult {
  const { participant, session, now } = context;
  if (!result.ok || participant.link === undefined) return result;
  const answers = command.operation === "setFields" ? command.answers : undefined;
  const isAnswer = answers !== undefined;
  const answer =
    typeof answers === "object" ? "handed_back" : isAnswer ? "saved" : ANSWERS[command.operation];
  if (answer === undefined) return result;
  const handedBack = typeof answers === "object" ? answers.handedBack : {};
  const payload = { ...handoffIds(participant.number), answer, ...handedBack };
  const moved: Pick<NewServerEvent, "movesVersion" | "state"> =
    isAnswer && result.value.events.length === 0
      ? {
          movesVersion: true,
          state: operationRow("setFields").transitions[session.state] ?? session.state,
        }
      : {};
  const answered: NewServerEvent = { type: "handoff.answered", payload, ...moved };
  // The answer comes before the event that ends the session, because nothing follows that one.
  const isEnd = command.operation === "reject";
  const events = isEnd ? [answered, ...result.value.events] : [...result.value.events, answered];
  const { number, link } = participant;
  return ok({ ...result.value, events, relink: { number, link: { ...link, answeredAt: now } } });
}

export function decline(
  command: Decline,
  { session, participant, now }: DecisionContext,
): DecisionResult {
  const { link } = participant;
  if (link === undefined) throw new Error("unreachable: only a link declines");
  return ok({
    events: [linkDeclinedEvent(session, participant, command)],
    outcome: {},
    relink: { number: participant.number, link: { ...link, declinedAt: now } },
  });
}

/** Moves the session only from states in which it waits for a person. */
export function linkDeclinedEvent(
  session: Pick<Session, "state">,
  participant: Pick<Participant, "number">,
  { reason, notMe }: Pick<Decline, "reason" | "notMe">,
): NewServerEvent {
  const state = operationRow("decline").transitions[session.state];
  return {
    type: "handoff.declined",
    payload: {
      ...handoffIds(participant.number),
      ...omitUndefined({ reason }),
      ...(notMe === true ? { notMe } : {}),
    },
    ...(state === undefined ? {} : { movesVersion: true, state }),
  };
}

/** Whether the link is neither answered nor declined. */
const isLinkOpen = ({ answeredAt, declinedAt }: Link): boolean =>
  answeredAt === undefined && declinedAt === undefined;

/** When the next open link ends without an answer; null if there is none to report. */
export function nextLinkEndAt(
  session: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
): number | null {
  const ends = unreportedLinks(session, participants).map(({ expiresAt }) => expiresAt ?? Infinity);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Open links whose end has to be reported. If the session ends first, only its end is reported. */
const unreportedLinks = (
  { revoked, expiresAt }: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
): readonly Participant[] =>
  participants.filter(
    (one) =>
      one.link !== undefined &&
      isLinkOpen(one.link) &&
      one.link.endTold !== true &&
      one.expiresAt !== null &&
      one.expiresAt < expiresAt &&
      !revoked.includes(one.number),
  );

/** Links that have ended and are not reported yet. */
export const endedLinks = (
  session: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
  now: number,
): readonly Participant[] =>
  unreportedLinks(session, participants).filter(({ expiresAt }) => (expiresAt ?? Infinity) <= now);

export const linkExpiredEvent = ({ number, link, expiresAt }: Participant): NewServerEvent => ({
  type: "handoff.expired",
  payload: {
    ...handoffIds(number),
    opened: link?.openedAt !== null,
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  },
});
