/**
 * Short links: a participant that waits for a person. Opening the link gives its credential to the
 * person. Opening it again takes over, but only until something was saved, so that nobody loses
 * work to another device.
 */
import type { Identity } from "../participants/identity";
import { actorFromClaim, type Actor } from "../participants/actor";
import type { Handoff } from "../session/command";
import type { DecisionContext } from "../session/decision";
import type { NewServerEvent } from "../log/event";
import { isExpired, isParticipantExpired } from "../session/expiry";
import { handoffIds } from "../ids";
import type { EventPayloads } from "../log/payloads";
import type { Link, Participant } from "../participants/participant";
import type { Session } from "../session/session";
import { pickTerms } from "./terms";
import { isTerminal } from "../session/state";

/** Whether a link can be opened, or why not. */
export type LinkState =
  | "waiting"
  | "unknown"
  | "revoked"
  | "expired"
  | "ended"
  | "used"
  | "kept"
  | "declined"
  | "gone";

/** The name of the directory shard. There is one for each first character of a base64url hash. */
export const linkShardName = (codeHash: string): string => `codes/${codeHash.charAt(0)}`;

/** The link, its actor and its events. The payload already contains the rights. */
export function issueLink(
  command: Handoff,
  { link: code }: DecisionContext,
  number: number,
  granted: EventPayloads["handoff.created"],
): { readonly actor: Actor; readonly link: Link; readonly events: readonly NewServerEvent[] } {
  if (code === undefined) throw new Error("a handoff to a person needs the hash of its code");
  const singleUse = command.singleUse === true;
  const takeover = command.takeover === true;
  const terms = pickTerms(command);
  return {
    actor: actorFromClaim("human", command.actor ?? { id: `person-${number}` }),
    link: {
      code,
      singleUse,
      takeover,
      isListed: false,
      openedAt: null,
      ...(Object.keys(terms).length === 0 ? {} : { terms }),
      ...(command.showTitle === true ? { showTitle: true } : {}),
    },
    events: [
      { type: "handoff.link_issued", payload: { ...granted, singleUse, takeover, ...terms } },
    ],
  };
}

/** Reveals nothing of the session's content. */
export function linkStateOf(session: Session, participant: Participant, now: number): LinkState {
  const { link } = participant;
  if (link === undefined) return "unknown";
  if (session.revoked.includes(participant.number)) return "revoked";
  if (isExpired(session, now) || isParticipantExpired(participant, now)) return "expired";
  if (isTerminal(session.state)) return "ended";
  if (link.declinedAt !== undefined) return "declined";
  if (link.openedAt === null) return "waiting";
  if (link.singleUse) return "used";
  return participant.last !== null && !link.takeover ? "kept" : "waiting";
}

/** The event of an opening, and the actor with the name that the person gave. */
export function decideOpening(
  participant: Participant,
  { name, identity }: { readonly name?: string; readonly identity?: Identity },
): { readonly actor: Actor; readonly opened: NewServerEvent } {
  const isFirst = participant.link?.openedAt === null;
  const { actor } = participant;
  const opened: NewServerEvent = {
    type: isFirst ? "handoff.opened" : "handoff.resumed",
    payload: {
      ...handoffIds(participant.number),
      ...(isFirst ? {} : { takenOver: true }),
      ...(identity === undefined ? {} : { identity }),
    },
  };
  return { actor: name === undefined ? actor : { ...actor, name }, opened };
}
