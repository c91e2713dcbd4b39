/**
 * How a person's part ends: with an answer, or with a no. Both are said in the log under the link's own
 * name, so that whoever sent it need not guess from the session's state.
 */
import type { Command, Decline } from "../session/command";
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewEvent } from "../log/event";
import { handoffIds } from "../ids";
import { operationRow } from "../session/operation";
import type { Link, Participant } from "../participants/participant";
import { ok, omitUndefined } from "../result";
import type { Session } from "../session/session";

/** What a person did that ends their part, by operation. */
const ANSWERS: Readonly<Partial<Record<Command["operation"], string>>> = {
  submit: "submitted",
  approve: "approved",
  reject: "rejected",
  requestChanges: "changes_requested",
};

/** With the answer told, where the one who acts came by a link and this ends their part. */
export function withAnswerEvent(
  command: Command,
  context: DecisionContext,
  decided: DecisionResult,
): DecisionResult {
  const { participant, session, now } = context;
  if (!decided.ok || participant.link === undefined) return decided;
  const answers = command.operation === "setFields" ? command.answers : undefined;
  const isAnswer = answers !== undefined;
  const answer =
    typeof answers === "object" ? "handed_back" : isAnswer ? "saved" : ANSWERS[command.operation];
  if (answer === undefined) return decided;
  const said = typeof answers === "object" ? answers.handedBack : {};
  const payload = { ...handoffIds(participant.number), answer, ...said };
  const moved: Pick<NewEvent, "moves" | "state"> =
    isAnswer && decided.value.facts.length === 0
      ? {
          moves: true,
          state: operationRow("setFields").transitions[session.state] ?? session.state,
        }
      : {};
  const told: NewEvent = { type: "handoff.answered", payload, ...moved };
  // Before what ends the session: nothing follows the last event of a work that is over.
  const isEnd = command.operation === "reject";
  const facts = isEnd ? [told, ...decided.value.facts] : [...decided.value.facts, told];
  const { number, link } = participant;
  return ok({ ...decided.value, facts, relink: { number, link: { ...link, answeredAt: now } } });
}

export function decline(
  command: Decline,
  { session, participant, now }: DecisionContext,
): DecisionResult {
  const { link } = participant;
  if (link === undefined) throw new Error("unreachable: only a link declines");
  return ok({
    facts: [linkDeclinedEvent(session, participant, command)],
    outcome: {},
    relink: { number: participant.number, link: { ...link, declinedAt: now } },
  });
}

/** Moves the session only from where a person was waited for. */
export function linkDeclinedEvent(
  session: Pick<Session, "state">,
  participant: Pick<Participant, "number">,
  { reason, notMe }: Pick<Decline, "reason" | "notMe">,
): NewEvent {
  const state = operationRow("decline").transitions[session.state];
  return {
    type: "handoff.declined",
    payload: {
      ...handoffIds(participant.number),
      ...omitUndefined({ reason }),
      ...(notMe === true ? { notMe } : {}),
    },
    ...(state === undefined ? {} : { moves: true, state }),
  };
}

/** Is the link's part still open: neither answered nor declined? */
const isLinkOpen = ({ answeredAt, declinedAt }: Link): boolean =>
  answeredAt === undefined && declinedAt === undefined;

/** When the earliest open link ends without an answer; null where there is none to tell of. */
export function nextLinkEndAt(
  session: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
): number | null {
  const ends = unreportedLinks(session, participants).map(({ expiresAt }) => expiresAt ?? Infinity);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Links whose end is worth telling. With the session's own end, that is told instead. */
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

/** Links that ended by now and were not told of yet. */
export const endedLinks = (
  session: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
  now: number,
): readonly Participant[] =>
  unreportedLinks(session, participants).filter(({ expiresAt }) => (expiresAt ?? Infinity) <= now);

export const linkExpiredEvent = ({ number, link, expiresAt }: Participant): NewEvent => ({
  type: "handoff.expired",
  payload: {
    ...handoffIds(number),
    opened: link?.openedAt !== null,
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  },
});
