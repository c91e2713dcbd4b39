/** The rules of participants: resume, handoff, reissue and revoke. */
import { actorFromClaim, type Actor } from "./actor";
import { boundTo } from "./binding";
import type {
  Handoff,
  Reissue,
  Resume,
  RevokeParticipants,
  RevokeHandoff,
} from "../session/command";
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewServerEvent } from "../log/event";
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
  const access = { by: "resume", auto: command.auto === true };
  return ok({
    events: [
      tokenEvent("token.accessed", participant.number, context.currentToken, access),
      tokenEvent("token.issued", participant.number, context.next),
    ],
    actor,
    replayAfter: after,
    outcome: { after },
  });
}

export function handoff(input: Handoff, context: DecisionContext): DecisionResult {
  const { made: newToken, participant } = context;
  const command = withLinkTexts(input, context.session.belongs);
  if (newToken === null) throw new Error("a handoff to an agent needs the hash of its token");
  const { revoked } = context.session;
  const number = Math.max(...revoked, ...context.participants.map((one) => one.number)) + 1;
  const capacityFailure = capacityProblem(context);
  if (capacityFailure !== null) return refuse(capacityFailure);
  const { bound } = context;
  if (bound?.ok === false) return bound;
  const end = requestedEnd(command, context);
  if (!end.ok) return end;
  const notify = resolveNotify(command, context);
  if (!notify.ok) return notify;
  const { scopes } = command;
  const granted = narrowGrant(participant, {
    scopes,
    expiresAt: end.value,
    bind: bound?.value.binding ?? null,
    handoff: command,
  });
  if (!granted.ok) return granted;
  const { remindAfterMs } = command;
  const reminderFailure = reminderProblem(remindAfterMs, granted.value.expiresAt, context.now);
  if (reminderFailure !== null) return refuse(reminderFailure);
  const newParticipant = {
    number,
    note: command.note ?? null,
    ...granted.value,
    ...(notify.value === undefined ? {} : { ring: notify.value }),
    ...(remindAfterMs === undefined ? {} : { remindAt: context.now + remindAfterMs }),
  };
  const payload = {
    ...handoffIds(number),
    madeBy: participantId(participant.number),
    to: command.to,
    scopes: newParticipant.scopes,
    ...(newParticipant.expiresAt === null
      ? {}
      : { expiresAt: new Date(newParticipant.expiresAt).toISOString() }),
    ...boundTo(newParticipant.bind),
    ...omitUndefined({ note: command.note }),
  };
  const { forgets, revocations } = evictEnded(context);
  const common = { outcome: { participant: number }, ...(forgets.length === 0 ? {} : { forgets }) };
  if (command.to === "human") {
    const { ask = command.ask, show = command.show } = newParticipant.terms ?? {};
    const narrowed = { ...command, ask, show };
    const { actor, link, events } = issueLink(narrowed, context, number, payload);
    return ok({
      events: [...revocations, ...events],
      made: { ...newParticipant, actor, link },
      ...common,
    });
  }
  const actor = actorFromClaim("agent", command.actor ?? { id: `agent-${number}` });
  const created: NewServerEvent = {
    type: "handoff.created",
    payload: { ...payload, ...newParticipant.terms },
  };
  const events = [...revocations, created, tokenEvent("token.issued", number, newToken)];
  return ok({ events, made: { ...newParticipant, actor }, ...common });
}

/**
 * Ended participants stay in the row as long as there is space, so that their tokens are
 * recognised. The oldest are removed first. The event in the log then invalidates their numbers and
 * tokens for good.
 */
function evictEnded({ session, participants, now }: DecisionContext): {
  readonly forgets: readonly number[];
  readonly revocations: readonly NewServerEvent[];
} {
  const excess = Math.max(0, participants.length + 1 - LIMITS.participants);
  const evicted = participants.filter((one) => !isActive(one, session, now)).slice(0, excess);
  const revocations = evicted
    .filter(({ number }) => !session.revoked.includes(number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash, { reason: "ended" }));
  return { forgets: evicted.map(({ number }) => number), revocations };
}

/** The requested end, or the default of a link. A link never outlives its session. */
function requestedEnd(
  { to, ttlMs }: Pick<Handoff, "to" | "ttlMs">,
  { now, session, settings }: DecisionContext,
): Result<number | null> {
  const { maxTtlMs } = settings;
  if (ttlMs !== undefined && ttlMs > maxTtlMs) {
    return refuse(invalid(`ttlMs must be at most ${maxTtlMs}`, "ttlMs"));
  }
  if (to === "agent") return ok(ttlMs === undefined ? null : now + ttlMs);
  // A deployment with shorter lifetimes refuses only a requested one, not the default.
  return ok(Math.min(now + (ttlMs ?? Math.min(LINK_TTL_MS, maxTtlMs)), session.expiresAt));
}

/** Only active participants count. Those without `own` may use only a share. */
function capacityProblem({
  session,
  participant,
  participants,
  now,
}: DecisionContext): Failure | null {
  const active = participants.filter((one) => isActive(one, session, now));
  if (active.length >= LIMITS.participants) {
    return tooLarge("the number of participants", LIMITS.participants);
  }
  if (isOwner(participant)) return null;
  const root = rootOf(participant, participants);
  const used = active.filter((one) => one.number !== root && rootOf(one, participants) === root);
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
 * Issues a new code for a link of the same person. Whoever opened it before loses access, and of
 * their answer only saved values stay. Links that have ended can be reissued too.
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
  if (code === undefined) throw new Error("a reissued link needs the hash of its code");
  const end = requestedEnd({ to: "human", ttlMs: command.ttlMs }, context);
  if (!end.ok) return end;
  // Never later than the end of the participant that reissues it, nor of the one that created it.
  const maker = context.participants.find(({ number }) => number === target.madeBy);
  const ends = [end.value, participant.expiresAt, maker?.expiresAt].map((at) => at ?? Infinity);
  const expiresAt = Math.min(...ends);
  // A participant that was removed from the row had ended before.
  const isMakerRemoved = target.madeBy !== null && maker === undefined;
  if (isMakerRemoved || expiresAt <= context.now) return refuse(invalid(MAKER_ENDED));
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
  const reissued: NewServerEvent = { type: "handoff.reissued", payload };
  const { ring } = target;
  const outcome = { participant: number };
  const relink = { number, link, expiresAt };
  if (ring === undefined) return ok({ events: [reissued], outcome, relink });
  // Endpoints that received the old link receive the new one, because the old one no longer works.
  const { sealedLink } = context;
  const notification = { to: ring.to, ...(sealedLink === undefined ? {} : { link: sealedLink }) };
  const repeatedNotice: NewServerEvent = {
    type: "handoff.created",
    payload: {
      cause: reissued.type,
      ...payload,
      madeBy: participantId(target.madeBy ?? participant.number),
      to: "human",
      scopes: target.scopes,
    },
  };
  return ok({
    events: [reissued, repeatedNotice],
    outcome,
    relink: { ...relink, ring: notification },
  });
}

const MAKER_ENDED = "the access of the link's maker has ended; make a new handoff instead";

/** Without `own`, a participant can revoke only what it created. */
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

export function revoke({ target }: RevokeParticipants, context: DecisionContext): DecisionResult {
  const numbers = context.participants.map((one) => one.number);
  if (target === "others") return revokeAll(context, numbers, [context.participant.number]);
  return numbers.includes(target)
    ? revokeOne(target, context)
    : refuse({ code: "not_found", what: "participant" });
}

/**
 * Revokes the target and its descendants. The caller and its own descendants stay even if the
 * target created the caller, so that a participant can take over from its maker.
 */
function revokeOne(target: number, context: DecisionContext): DecisionResult {
  const self = context.participant.number;
  if (target === self) return refuse(invalid("a participant cannot revoke itself", "participant"));
  const all = context.participants;
  const affected = withDescendants([target], all);
  const spared = affected.includes(self) ? withDescendants([self], all) : [];
  return revokeAll(context, affected, spared);
}

function revokeAll(
  context: DecisionContext,
  candidates: readonly number[],
  spared: readonly number[],
): DecisionResult {
  const excluded = new Set([...spared, ...context.session.revoked]);
  const numbers = candidates.filter((number) => !excluded.has(number));
  const revoked = numbers.map(participantId);
  const summary: NewServerEvent = {
    type: "handoff.revoked",
    payload: { participants: revoked, outcome: revoked.length > 0 ? "success" : "skipped" },
  };
  const tokens = context.participants
    .filter((one) => numbers.includes(one.number))
    .map((one) => tokenEvent("token.revoked", one.number, one.tokenHash));
  return ok({ events: [summary, ...tokens], outcome: { revoked } });
}
