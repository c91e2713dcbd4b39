/** Making, taking back and taking up participants. */
import { actorFromClaim, type Actor } from "./actor";
import { boundTo } from "./binding";
import type { Handoff, Resume, Revoke, RevokeHandoff } from "./command";
import type { Context, Decided } from "./decision";
import type { NewEvent } from "./event";
import { invalid } from "./failure";
import { handoffId, participantId, shortHash, type TokenHash } from "./ids";
import { LIMITS } from "./limits";
import { issueLink } from "./link";
import { withDescendants } from "./participant";
import { ok, refuse } from "./result";
import { textual } from "./review";
import { expandScopes } from "./scope";

export const tokenEvent = (
  type: "token.issued" | "token.accessed" | "token.expired" | "token.revoked",
  participant: number,
  hash: TokenHash,
): NewEvent => ({
  type,
  payload: { participant: participantId(participant), tokenHash: shortHash(hash) },
});

export function resume(command: Resume, context: Context): Decided {
  const { participant, head } = context;
  const after = command.lastEventSeq ?? participant.cursor;
  if (after > head) {
    return refuse(invalid(`lastEventSeq is ${after}, but the log ends at ${head}`, "lastEventSeq"));
  }
  const { trimmed } = context.session;
  if (trimmed !== null && after < trimmed.floor) return refuse({ code: "replay_gap", trimmed });
  const actor: Actor = command.actor
    ? actorFromClaim(participant.actor.kind, command.actor)
    : participant.actor;
  const accessed = tokenEvent("token.accessed", participant.number, context.presented);
  const payload = { ...accessed.payload, by: "resume", auto: command.auto === true };
  return ok({
    facts: [{ ...accessed, payload }, tokenEvent("token.issued", participant.number, context.next)],
    actor,
    replayAfter: after,
    outcome: { after },
  });
}

export function handoff(command: Handoff, context: Context): Decided {
  const { now, made, participant } = context;
  if (made === null) throw new Error("a handoff to an agent brings the hash of its token");
  const number = Math.max(...context.participants.map((one) => one.number)) + 1;
  if (number > LIMITS.participants) {
    return refuse({
      code: "too_large",
      what: "the number of participants",
      limit: LIMITS.participants,
    });
  }
  const bound = context.bound ?? ok(null);
  if (!bound.ok) return bound;
  const bind = bound.value === null ? {} : { bind: bound.value };
  if (command.to === "human") return issueLink(command, context, number, bind);
  if (command.ttlMs !== undefined && command.ttlMs > context.settings.maxTtlMs) {
    return refuse(invalid(`ttlMs must be at most ${context.settings.maxTtlMs}`, "ttlMs"));
  }
  const expiresAt = command.ttlMs === undefined ? null : now + command.ttlMs;
  const scopes = expandScopes(command.scopes);
  const actor = actorFromClaim("agent", command.actor ?? { id: `agent-${number}` });
  const created: NewEvent = {
    type: "handoff.created",
    payload: {
      handoffId: handoffId(number),
      participant: participantId(number),
      madeBy: participantId(participant.number),
      to: command.to,
      scopes,
      ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      ...boundTo(bind.bind),
      ...textual({ note: command.note }),
    },
  };
  return ok({
    facts: [created, tokenEvent("token.issued", number, made)],
    made: { number, actor, scopes, note: command.note ?? null, expiresAt, ...bind },
    outcome: { participant: number },
  });
}

/** Without `own` only what one made can be taken back. */
export function revokeHandoff(command: RevokeHandoff, context: Context): Decided {
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

export function revoke({ target }: Revoke, context: Context): Decided {
  const numbers = context.participants.map((one) => one.number);
  if (target === "others") {
    return takeBack(
      numbers.filter((number) => number !== context.participant.number),
      context,
    );
  }
  return numbers.includes(target)
    ? revokeOne(target, context)
    : refuse({ code: "not_found", what: "participant" });
}

/**
 * The target and those it made. The caller and its own descendants stay even when the caller was
 * made by the target: who takes over from its maker must not fall with it.
 */
function revokeOne(target: number, context: Context): Decided {
  const self = context.participant.number;
  if (target === self) return refuse(invalid("a participant cannot revoke itself", "participant"));
  const all = context.participants;
  const falling = withDescendants([target], all);
  const spared = falling.includes(self) ? withDescendants([self], all) : [];
  return takeBack(
    falling.filter((number) => !spared.includes(number)),
    context,
  );
}

function takeBack(numbers: readonly number[], context: Context): Decided {
  const fallen = numbers.filter((number) => !context.session.revoked.includes(number));
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
