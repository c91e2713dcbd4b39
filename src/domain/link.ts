/**
 * Short links: a participant that waits for a person. Opening one gives its credential to whoever
 * opens it; opening again takes over, but only until something was saved, so that nobody's work is
 * taken from under their hands.
 */
import { actorFromClaim, type Actor } from "./actor";
import { boundTo } from "./binding";
import type { Handoff } from "./command";
import type { Context, Decided } from "./decision";
import type { NewEvent } from "./event";
import { isExpired, isParticipantExpired } from "./expiry";
import { invalid } from "./failure";
import { handoffId, participantId, type TokenHash } from "./ids";
import { LINK_TTL_MS } from "./limits";
import type { Link, Participant } from "./participant";
import { ok, refuse } from "./result";
import { textual } from "./review";
import { expandScopes } from "./scope";
import type { Session } from "./session";
import { isTerminal } from "./state";

/** Why a link does not open, or that it would. */
export type LinkState =
  | "waiting"
  | "unknown"
  | "revoked"
  | "expired"
  | "ended"
  | "used"
  | "kept"
  | "gone";

/** The directory's shards: one for each first character of a hash in base64url. */
export const shardOf = (codeHash: string): string => `codes/${codeHash.charAt(0)}`;

export function issueLink(
  command: Handoff,
  context: Context,
  number: number,
  bind: Pick<Participant, "bind">,
): Decided {
  const { now, session, settings, link } = context;
  if (link === undefined) throw new Error("a handoff to a person brings the hash of its code");
  // A deployment with shorter lives refuses only what was asked for, not its own default.
  const ttlMs = command.ttlMs ?? Math.min(LINK_TTL_MS, settings.maxTtlMs);
  if (ttlMs > settings.maxTtlMs) {
    return refuse(invalid(`ttlMs must be at most ${settings.maxTtlMs}`, "ttlMs"));
  }
  const expiresAt = Math.min(now + ttlMs, session.expiresAt);
  const scopes = expandScopes(command.scopes);
  const singleUse = command.singleUse === true;
  const takeover = command.takeover === true;
  const issued: NewEvent = {
    type: "handoff.link_issued",
    payload: {
      handoffId: handoffId(number),
      participant: participantId(number),
      madeBy: participantId(context.participant.number),
      to: "human",
      scopes,
      expiresAt: new Date(expiresAt).toISOString(),
      singleUse,
      takeover,
      ...boundTo(bind.bind),
      ...textual({ note: command.note }),
    },
  };
  const actor = actorFromClaim("human", command.actor ?? { id: `person-${number}` });
  const made: Link = { code: link, singleUse, takeover, isListed: false, openedAt: null };
  return ok({
    facts: [issued],
    made: { number, actor, scopes, note: command.note ?? null, expiresAt, link: made, ...bind },
    outcome: { participant: number },
  });
}

/** What opening would meet. Says nothing of the session's content. */
export function linkStateOf(session: Session, participant: Participant, now: number): LinkState {
  const { link } = participant;
  if (link === undefined) return "unknown";
  if (session.revoked.includes(participant.number)) return "revoked";
  if (isExpired(session, now) || isParticipantExpired(participant, now)) return "expired";
  if (isTerminal(session.state)) return "ended";
  if (link.openedAt === null) return "waiting";
  if (link.singleUse) return "used";
  return participant.last !== null && !link.takeover ? "kept" : "waiting";
}

/** The facts of an opening, and who the person says they are. */
export function openingFacts(
  participant: Participant,
  credential: TokenHash,
  name: string | undefined,
  tokenEvents: (hash: TokenHash) => readonly NewEvent[],
): { readonly actor: Actor; readonly facts: readonly NewEvent[] } {
  const isFirst = participant.link?.openedAt === null;
  const { actor } = participant;
  const opened: NewEvent = {
    type: isFirst ? "handoff.opened" : "handoff.resumed",
    payload: {
      handoffId: handoffId(participant.number),
      participant: participantId(participant.number),
      ...(isFirst ? {} : { takenOver: true }),
    },
  };
  return {
    actor: name === undefined ? actor : { ...actor, name },
    facts: [opened, ...tokenEvents(credential)],
  };
}
