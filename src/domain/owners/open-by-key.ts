/**
 * An owner's key on a session: the actor it acts as, and the participant that it creates. The actor
 * is the owner, and no client can append the events of such an action.
 */
import { actorFromClaim, type Actor, type ActorClaim } from "../participants/actor";
import { invalid, tooLarge } from "../failure";
import { participantId, type TokenHash } from "../ids";
import { LIMITS, OPENED_TTL_MS } from "../limits";
import type { NewServerEvent } from "../log/event";
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
  /** The key's name in the setting and its hash. */
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

/**
 * The caller that reads or controls the session with a key. It has always seen the current version,
 * and has no token line.
 */
export const keyHolder = (key: KeyCredential, session: Session): Participant => ({
  number: KEY_HOLDER,
  actor: keyActor(key),
  scopes: scopesOfRights(key.rights),
  madeBy: null,
  note: null,
  createdAt: 0,
  // A listener with this key is disconnected when the key expires, as a participant is.
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
 * Participants created by a key that is no longer listed are shown as revoked, without an event.
 * Returns the same object if there are none.
 */
export function revokeUnlistedKeys(
  session: Session,
  participants: readonly Participant[],
  isListed: (keyHash: string) => boolean,
): Session {
  const keys = new Set(participants.flatMap(({ bind }) => bind?.key ?? []));
  const unlisted = new Set([...keys].filter((key) => !isListed(key)));
  if (unlisted.size === 0) return session;
  const affected = participants.filter(({ bind }) => unlisted.has(bind?.key ?? ""));
  return { ...session, revoked: [...session.revoked, ...affected.map(({ number }) => number)] };
}

/** A key that may manage may also view what it did. */
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
  readonly events: readonly NewServerEvent[];
  readonly made: NewParticipant;
  /** Participants that are removed from the session's row. They stay in the log. */
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
  const eviction = evictOne(session, participants, now);
  if (eviction === null) {
    const what = "the number of participants";
    return refuse(tooLarge(what, LIMITS.participants));
  }
  const number = Math.max(0, ...session.revoked, ...participants.map((one) => one.number)) + 1;
  const expiresAt = Math.min(now + ttlMs, key.expiresAt ?? Infinity);
  const opened: NewServerEvent = {
    type: "owner.opened",
    payload: {
      participant: participantId(number),
      owner: key.owner,
      key: key.name,
      scopes,
      expiresAt: new Date(expiresAt).toISOString(),
    },
  };
  const defaultActor = { id: `agent-${number}`, name: key.name };
  const actor = actorFromClaim("agent", input.actor ?? defaultActor);
  return ok({
    events: [...eviction.events, opened, tokenEvent("token.issued", number, token)],
    made: {
      number,
      actor,
      scopes,
      note: null,
      expiresAt,
      bind: { ...bound.binding, key: key.hash },
    },
    forgets: eviction.numbers,
  });
}

/**
 * Removes an ended participant first. If all can still act, it removes the one that a key created
 * longest ago, because an owner that opens again and again has lost the earlier ones. What that
 * participant created ends with it, as in a revoke, so one without active descendants is preferred.
 * Null if there is no candidate.
 */
function evictOne(
  { revoked }: Session,
  participants: readonly Participant[],
  now: number,
): { readonly numbers: readonly number[]; readonly events: readonly NewServerEvent[] } | null {
  if (participants.length < LIMITS.participants) return { numbers: [], events: [] };
  const hasEnded = (one: Participant): boolean =>
    revoked.includes(one.number) || isParticipantExpired(one, now);
  const ended = participants.find(hasEnded);
  const opened = participants.filter(
    ({ bind, madeBy }) => bind?.key !== undefined && madeBy === null,
  );
  const makers = new Set(participants.filter((one) => !hasEnded(one)).map(({ madeBy }) => madeBy));
  const evicted = ended ?? opened.find(({ number }) => !makers.has(number)) ?? opened[0];
  if (evicted === undefined) return null;
  const { number } = evicted;
  const numbers = evicted === ended ? [number] : withDescendants([number], participants);
  const reason = evicted === ended ? "ended" : "opened_again";
  const events = participants
    .filter((one) => numbers.includes(one.number) && !revoked.includes(one.number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash, { reason }));
  return { numbers, events };
}
