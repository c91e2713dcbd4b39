/** Making, taking back and taking up participants. */
import { actorFromClaim, type Actor } from "./actor";
import { boundTo } from "./binding";
import type { Handoff, Reissue, Resume, Revoke, RevokeHandoff } from "../session/command";
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewEvent } from "../log/event";
import { gapProblem } from "../log/log-gap";
import { isParticipantExpired } from "../session/expiry";
import { invalid, tooLarge, type Failure } from "../failure";
import { handoffIds, participantId, shortHash, type TokenHash } from "../ids";
import { LIMITS, LINK_TTL_MS } from "../limits";
import { issueLink } from "../links/link";
import { rootOf, withDescendants, type Participant } from "./participant";
import { omitUndefined, ok, refuse, type Result } from "../result";
import { isOwner, narrowGrant } from "./rights";
import { reminderProblem, resolveNotify } from "./handoff-notify";
import type { Session } from "../session/session";
import { withLinkTexts } from "../owners/template";

type TokenEventType = "token.issued" | "token.accessed" | "token.expired" | "token.revoked";

export const tokenEvent = <T extends TokenEventType, More extends object>(
  type: T,
  participant: number,
  hash: TokenHash,
  more = {} as More,
) => ({
  type,
  payload: { participant: participantId(participant), tokenHash: shortHash(hash), ...more },
});

export function resume(command: Resume, context: DecisionContext): DecisionResult {
  const { participant, session, head } = context;
  const after = command.lastEventSeq ?? participant.cursor;
  const problem = gapProblem(session, after, head, "lastEventSeq");
  if (problem !== null) return refuse(problem);
  const actor: Actor = command.actor
    ? actorFromClaim(participant.actor.kind, command.actor)
    : participant.actor;
  const how = { by: "resume", auto: command.auto === true };
  return ok({
    facts: [
      tokenEvent("token.accessed", participant.number, context.currentToken, how),
      tokenEvent("token.issued", participant.number, context.next),
    ],
    actor,
    replayAfter: after,
    outcome: { after },
  });
}

export function handoff(given: Handoff, context: DecisionContext): DecisionResult {
  const { made, participant } = context;
  const command = withLinkTexts(given, context.session.belongs);
  if (made === null) throw new Error("a handoff to an agent brings the hash of its token");
  const { revoked } = context.session;
  const number = Math.max(...revoked, ...context.participants.map((one) => one.number)) + 1;
  const full = capacityProblem(context);
  if (full !== null) return refuse(full);
  const { bound } = context;
  if (bound?.ok === false) return bound;
  const end = requestedEnd(command, context);
  if (!end.ok) return end;
  const ring = resolveNotify(command, context);
  if (!ring.ok) return ring;
  const { scopes } = command;
  const granted = narrowGrant(participant, {
    scopes,
    expiresAt: end.value,
    bind: bound?.value.binding ?? null,
  });
  if (!granted.ok) return granted;
  const { remindAfterMs } = command;
  const late = reminderProblem(remindAfterMs, granted.value.expiresAt, context.now);
  if (late !== null) return refuse(late);
  const place = {
    number,
    note: command.note ?? null,
    ...granted.value,
    ...(ring.value === undefined ? {} : { ring: ring.value }),
    ...(remindAfterMs === undefined ? {} : { remindAt: context.now + remindAfterMs }),
  };
  const payload = {
    ...handoffIds(number),
    madeBy: participantId(participant.number),
    to: command.to,
    scopes: place.scopes,
    ...(place.expiresAt === null ? {} : { expiresAt: new Date(place.expiresAt).toISOString() }),
    ...boundTo(place.bind),
    ...omitUndefined({ note: command.note }),
  };
  const { forgets, told } = evictEnded(context);
  const common = { outcome: { participant: number }, ...(forgets.length === 0 ? {} : { forgets }) };
  if (command.to === "human") {
    const { actor, link, facts } = issueLink(command, context, number, payload);
    return ok({ facts: [...told, ...facts], made: { ...place, actor, link }, ...common });
  }
  const actor = actorFromClaim("agent", command.actor ?? { id: `agent-${number}` });
  const created: NewEvent = { type: "handoff.created", payload };
  const facts = [...told, created, tokenEvent("token.issued", number, made)];
  return ok({ facts, made: { ...place, actor }, ...common });
}

/**
 * Those who ended stay in the row, where their tokens are told apart from false ones, as long as there
 * is room. The oldest leave first. What the log then says makes their numbers and tokens void for good.
 */
function evictEnded({ session, participants, now }: DecisionContext): {
  readonly forgets: readonly number[];
  readonly told: readonly NewEvent[];
} {
  const excess = Math.max(0, participants.length + 1 - LIMITS.participants);
  const leaving = participants.filter((one) => !isActive(one, session, now)).slice(0, excess);
  const told = leaving
    .filter(({ number }) => !session.revoked.includes(number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash, { reason: "ended" }));
  return { forgets: leaving.map(({ number }) => number), told };
}

/** What is asked for, or a link's default; a link never outlives its session. */
function requestedEnd(
  { to, ttlMs }: Pick<Handoff, "to" | "ttlMs">,
  { now, session, settings }: DecisionContext,
): Result<number | null> {
  const { maxTtlMs } = settings;
  if (ttlMs !== undefined && ttlMs > maxTtlMs) {
    return refuse(invalid(`ttlMs must be at most ${maxTtlMs}`, "ttlMs"));
  }
  if (to === "agent") return ok(ttlMs === undefined ? null : now + ttlMs);
  // A deployment with shorter lives refuses only what was asked for, not its own default.
  return ok(Math.min(now + (ttlMs ?? Math.min(LINK_TTL_MS, maxTtlMs)), session.expiresAt));
}

/** Only those who can still act take room; without `own` one may use a share of it. */
function capacityProblem({
  session,
  participant,
  participants,
  now,
}: DecisionContext): Failure | null {
  const live = participants.filter((one) => isActive(one, session, now));
  if (live.length >= LIMITS.participants) {
    return tooLarge("the number of participants", LIMITS.participants);
  }
  if (isOwner(participant)) return null;
  const root = rootOf(participant, participants);
  const used = live.filter((one) => one.number !== root && rootOf(one, participants) === root);
  return used.length >= LIMITS.participantsShare
    ? tooLarge(
        "the number of participants that a participant without the scope own can bring in",
        LIMITS.participantsShare,
      )
    : null;
}

const isActive = (one: Participant, { revoked }: Session, now: number): boolean =>
  !revoked.includes(one.number) && !isParticipantExpired(one, now);

/**
 * A link anew: another code, the same person's part. Whoever opened it before is out, and nothing of
 * their answer is kept but what they saved. Links that ended can be issued anew too.
 */
export function reissue(command: Reissue, context: DecisionContext): DecisionResult {
  const target = context.participants.find((one) => one.number === command.participant);
  const { participant, session, link: code } = context;
  if (target?.link === undefined || session.revoked.includes(target.number)) {
    return refuse({ code: "not_found", what: "link" });
  }
  if (target.madeBy !== participant.number && !isOwner(participant)) {
    return refuse({ code: "scope_denied", needed: "own", why: "not_yours" });
  }
  if (code === undefined) throw new Error("a link that is issued anew brings the hash of its code");
  const end = requestedEnd({ to: "human", ttlMs: command.ttlMs }, context);
  if (!end.ok) return end;
  // Never longer than who issues it, nor than who made it.
  const maker = context.participants.find(({ number }) => number === target.madeBy);
  const ends = [end.value, participant.expiresAt, maker?.expiresAt].map((at) => at ?? Infinity);
  const expiresAt = Math.min(...ends);
  // One that left the row had ended before.
  const hasLeft = target.madeBy !== null && maker === undefined;
  if (hasLeft || expiresAt <= context.now) return refuse(invalid(MAKER_ENDED));
  const { singleUse, takeover, terms, showTitle } = target.link;
  const link = {
    code,
    singleUse,
    takeover,
    isListed: false,
    openedAt: null,
    ...omitUndefined({ terms, showTitle }),
  };
  const { number } = target;
  const payload = { ...handoffIds(number), expiresAt: new Date(expiresAt).toISOString() };
  const reissued: NewEvent = { type: "handoff.reissued", payload };
  const { ring } = target;
  const outcome = { participant: number };
  const relink = { number, link, expiresAt };
  if (ring === undefined) return ok({ facts: [reissued], outcome, relink });
  // Those that were given the link before are given the new one: theirs is dead.
  const { sealedLink } = context;
  const rung = { to: ring.to, ...(sealedLink === undefined ? {} : { link: sealedLink }) };
  const again: NewEvent = {
    type: "handoff.created",
    payload: {
      cause: reissued.type,
      ...payload,
      madeBy: participantId(target.madeBy ?? participant.number),
      to: "human",
      scopes: target.scopes,
    },
  };
  return ok({ facts: [reissued, again], outcome, relink: { ...relink, ring: rung } });
}

const MAKER_ENDED = "the access of the link's maker has ended; make a new handoff instead";

/** Without `own` only what one made can be taken back. */
export function revokeHandoff(command: RevokeHandoff, context: DecisionContext): DecisionResult {
  const target = context.participants.find((one) => one.number === command.participant);
  if (target === undefined || target.madeBy === null) {
    return refuse({ code: "not_found", what: "handoff" });
  }
  const { participant } = context;
  if (target.madeBy !== participant.number && !participant.scopes.includes("own")) {
    return refuse({ code: "scope_denied", needed: "own", why: "not_yours" });
  }
  return revokeOne(target.number, context);
}

export function revoke({ target }: Revoke, context: DecisionContext): DecisionResult {
  const numbers = context.participants.map((one) => one.number);
  if (target === "others") return revokeAll(context, numbers, [context.participant.number]);
  return numbers.includes(target)
    ? revokeOne(target, context)
    : refuse({ code: "not_found", what: "participant" });
}

/**
 * The target and those it made. The caller and its own descendants stay even when the caller was
 * made by the target: who takes over from its maker must not fall with it.
 */
function revokeOne(target: number, context: DecisionContext): DecisionResult {
  const self = context.participant.number;
  if (target === self) return refuse(invalid("a participant cannot revoke itself", "participant"));
  const all = context.participants;
  const falling = withDescendants([target], all);
  const spared = falling.includes(self) ? withDescendants([self], all) : [];
  return revokeAll(context, falling, spared);
}

function revokeAll(
  context: DecisionContext,
  from: readonly number[],
  spared: readonly number[],
): DecisionResult {
  const kept = new Set([...spared, ...context.session.revoked]);
  const fallen = from.filter((number) => !kept.has(number));
  const revoked = fallen.map(participantId);
  const summary: NewEvent = {
    type: "handoff.revoked",
    payload: { participants: revoked, outcome: revoked.length > 0 ? "success" : "skipped" },
  };
  const tokens = context.participants
    .filter((one) => fallen.includes(one.number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash));
  return ok({ facts: [summary, ...tokens], outcome: { revoked } });
}
