/**
 * An owner's key at a session: who it acts as, and the participant that it opens. The actor is the
 * owner, and no client can append what such an act writes.
 */
import { actorFromClaim, type Actor, type ActorClaim } from "../participants/actor";
import { invalid, tooLarge } from "../failure";
import { participantId, type TokenHash } from "../ids";
import { LIMITS, OPENED_TTL_MS } from "../limits";
import type { NewEvent } from "../log/event";
import type { ResolvedBinding } from "../participants/binding";
import { withDescendants, type Participant } from "../participants/participant";
import { tokenEvent } from "../participants/participant-rules";
import { CREATOR_SCOPES, expandScopes, type Scope } from "../participants/scope";
import { isParticipantExpired } from "../session/expiry";
import { ok, refuse, type Result } from "../result";
import type { NewParticipant } from "../session/decision";
import type { Session } from "../session/session";
import type { Settings } from "../settings";
import { KEY_HOLDER } from "./key-holder";
import type { Right } from "./owners";

/** A key that the Worker has checked. */
export interface KeyCredential {
  readonly owner: string;
  /** The key's name in the setting, and its hash. */
  readonly name: string;
  readonly hash: string;
  readonly rights: readonly Right[];
  readonly expiresAt: number | null;
}

export const keyActor = ({ owner, name }: KeyCredential): Actor => ({
  kind: "owner",
  id: owner,
  name,
});

/** Who reads or steers the session by a key: it has seen what there is, and has no line of tokens. */
export const keyHolder = (key: KeyCredential, session: Session): Participant => ({
  number: KEY_HOLDER,
  actor: keyActor(key),
  scopes: scopesOfRights(key.rights),
  madeBy: null,
  note: null,
  createdAt: 0,
  // Whoever listens by it is cut off when it ends, as a participant is.
  expiresAt: key.expiresAt,
  tokenSeq: 0,
  tokenHash: "" as TokenHash,
  fenceSeq: 0,
  seenVersion: session.version,
  cursor: 0,
  filled: false,
  last: null,
});

/**
 * As it is shown: whoever a key opened that has left the setting is revoked, and no event says so. The
 * same object where there is nobody like that.
 */
export function revokeUnlistedKeys(
  session: Session,
  participants: readonly Participant[],
  isListed: (keyHash: string) => boolean,
): Session {
  const keys = new Set(participants.flatMap(({ bind }) => bind?.key ?? []));
  const unlisted = new Set([...keys].filter((key) => !isListed(key)));
  if (unlisted.size === 0) return session;
  const lost = participants.filter(({ bind }) => unlisted.has(bind?.key ?? ""));
  return { ...session, revoked: [...session.revoked, ...lost.map(({ number }) => number)] };
}

/** Who manages is shown what it did. */
export const scopesOfRights = (rights: readonly Right[]): readonly Scope[] => {
  if (rights.includes("manage")) return ["view", "own"];
  return rights.includes("read") ? ["view"] : [];
};

export interface OpenInput {
  readonly scopes?: readonly Scope[] | undefined;
  readonly actor?: ActorClaim | undefined;
  readonly ttlMs?: number | undefined;
}

interface OpenDecision {
  readonly facts: readonly NewEvent[];
  readonly made: NewParticipant;
  /** Participants that leave the session's row; the log keeps them. */
  readonly forgets: readonly number[];
}

export function openByKey(
  input: OpenInput,
  key: KeyCredential,
  bound: ResolvedBinding,
  session: Session,
  participants: readonly Participant[],
  token: TokenHash,
  settings: Settings,
  now: number,
): Result<OpenDecision> {
  const scopes = expandScopes(input.scopes ?? CREATOR_SCOPES);
  if (scopes.includes("review")) {
    return refuse(invalid("a key cannot grant review; add reviewers with a handoff", "scopes"));
  }
  const { ttlMs = Math.min(OPENED_TTL_MS, settings.maxTtlMs) } = input;
  if (ttlMs > settings.maxTtlMs) {
    return refuse(invalid(`ttlMs must be at most ${settings.maxTtlMs}`, "ttlMs"));
  }
  const room = evictOne(session, participants, now);
  if (room === null) {
    const what = "the number of participants";
    return refuse(tooLarge(what, LIMITS.participants));
  }
  const number = Math.max(0, ...session.revoked, ...participants.map((one) => one.number)) + 1;
  const expiresAt = Math.min(now + ttlMs, key.expiresAt ?? Infinity);
  const opened: NewEvent = {
    type: "owner.opened",
    payload: {
      participant: participantId(number),
      owner: key.owner,
      key: key.name,
      scopes,
      expiresAt: new Date(expiresAt).toISOString(),
    },
  };
  const unnamed = { id: `agent-${number}`, name: key.name };
  const actor = actorFromClaim("agent", input.actor ?? unnamed);
  return ok({
    facts: [...room.told, opened, tokenEvent("token.issued", number, token)],
    made: {
      number,
      actor,
      scopes,
      note: null,
      expiresAt,
      bind: { ...bound.binding, key: key.hash },
    },
    forgets: room.forgets,
  });
}

/**
 * Those who ended leave first. Where all can still act, the one that a key opened longest ago does: an
 * owner who opens again and again has lost what it had. What it made ends with it, as by a revoke, so
 * one goes first that has made nobody who can still act. Null where neither is there.
 */
function evictOne(
  { revoked }: Session,
  participants: readonly Participant[],
  now: number,
): { readonly forgets: readonly number[]; readonly told: readonly NewEvent[] } | null {
  if (participants.length < LIMITS.participants) return { forgets: [], told: [] };
  const isOver = (one: Participant): boolean =>
    revoked.includes(one.number) || isParticipantExpired(one, now);
  const ended = participants.find(isOver);
  const opened = participants.filter(
    ({ bind, madeBy }) => bind?.key !== undefined && madeBy === null,
  );
  const makers = new Set(participants.filter((one) => !isOver(one)).map(({ madeBy }) => madeBy));
  const leaving = ended ?? opened.find(({ number }) => !makers.has(number)) ?? opened[0];
  if (leaving === undefined) return null;
  const { number } = leaving;
  const forgets = leaving === ended ? [number] : withDescendants([number], participants);
  const reason = leaving === ended ? "ended" : "opened_again";
  const told = participants
    .filter((one) => forgets.includes(one.number) && !revoked.includes(one.number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash, { reason }));
  return { forgets, told };
}
