/**
 * How a person's part ends: with an answer, or with a no. Both are said in the log under the link's own
 * name, so that whoever sent it need not guess from the session's state.
 */
import type { Command, Decline } from "../session/command";
import type { Context, Decided } from "../session/decision";
import type { NewEvent } from "../log/event";
import { handoffNames } from "../ids";
import { rowOf } from "../session/operation";
import type { Link, Participant } from "../participants/participant";
import { ok, onlyGiven } from "../result";
import type { Session } from "../session/session";

/** What a person did that ends their part, by operation. */
const ANSWERS: Readonly<Partial<Record<Command["operation"], string>>> = {
  submit: "submitted",
  approve: "approved",
  reject: "rejected",
  requestChanges: "changes_requested",
};

/** With the answer told, where the one who acts came by a link and this ends their part. */
export function withAnswer(command: Command, context: Context, decided: Decided): Decided {
  const { participant, session, now } = context;
  if (!decided.ok || participant.link === undefined) return decided;
  const answers = command.operation === "setFields" ? command.answers : undefined;
  const isAnswer = answers !== undefined;
  const answer =
    typeof answers === "object" ? "handed_back" : isAnswer ? "saved" : ANSWERS[command.operation];
  if (answer === undefined) return decided;
  const said = typeof answers === "object" ? answers.handedBack : {};
  const payload = { ...handoffNames(participant.number), answer, ...said };
  const moved: Pick<NewEvent, "moves" | "state"> =
    isAnswer && decided.value.facts.length === 0
      ? { moves: true, state: rowOf("setFields").transitions[session.state] ?? session.state }
      : {};
  const told: NewEvent = { type: "handoff.answered", payload, ...moved };
  // Before what ends the session: nothing follows the last event of a work that is over.
  const isEnd = command.operation === "reject";
  const facts = isEnd ? [told, ...decided.value.facts] : [...decided.value.facts, told];
  const { number, link } = participant;
  return ok({ ...decided.value, facts, relink: { number, link: { ...link, answeredAt: now } } });
}

export function decline(command: Decline, { session, participant, now }: Context): Decided {
  const { link } = participant;
  if (link === undefined) throw new Error("unreachable: only a link declines");
  return ok({
    facts: [declinedFact(session, participant, command)],
    outcome: {},
    relink: { number: participant.number, link: { ...link, declinedAt: now } },
  });
}

/** Moves the session only from where a person was waited for. */
export function declinedFact(
  session: Pick<Session, "state">,
  participant: Pick<Participant, "number">,
  { reason, notMe }: Pick<Decline, "reason" | "notMe">,
): NewEvent {
  const state = rowOf("decline").transitions[session.state];
  return {
    type: "handoff.declined",
    payload: {
      ...handoffNames(participant.number),
      ...onlyGiven({ reason }),
      ...(notMe === true ? { notMe } : {}),
    },
    ...(state === undefined ? {} : { moves: true, state }),
  };
}

/** Is the link's part still open: neither answered nor declined? */
const isOpen = ({ answeredAt, declinedAt }: Link): boolean =>
  answeredAt === undefined && declinedAt === undefined;

/** When the earliest open link ends without an answer; null where there is none to tell of. */
export function nextLinkEnd(
  session: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
): number | null {
  const ends = endingLinks(session, participants).map(({ expiresAt }) => expiresAt ?? Infinity);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Links whose end is worth telling. With the session's own end, that is told instead. */
const endingLinks = (
  { revoked, expiresAt }: Pick<Session, "revoked" | "expiresAt">,
  participants: readonly Participant[],
): readonly Participant[] =>
  participants.filter(
    (one) =>
      one.link !== undefined &&
      isOpen(one.link) &&
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
  endingLinks(session, participants).filter(({ expiresAt }) => (expiresAt ?? Infinity) <= now);

export const expiredFact = ({ number, link, expiresAt }: Participant): NewEvent => ({
  type: "handoff.expired",
  payload: {
    ...handoffNames(number),
    opened: link?.openedAt !== null,
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  },
});
