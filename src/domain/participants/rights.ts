/**
 * Scopes and the rules beyond them: nobody approves their own work, and rights only narrow. A new
 * participant gets its scopes, its end, its binding and its terms only from `narrowGrant`.
 */
import { narrowBinding, type Binding } from "./binding";
import type { Command, Handoff } from "../session/command";
import { invalid, type Failure } from "../failure";
import { operationRow, type Operation } from "../session/operation";
import { KEY_HOLDER } from "../owners/key-holder";
import { hasFilled, type Participant } from "./participant";
import { ok, refuse, type Result } from "../result";
import type { ParticipantTerms } from "../log/payloads";
import { narrowTerms } from "./narrowing";
import { expandScopes, ungrantable, type Scope } from "./scope";

export function rightsProblem(
  participant: Participant,
  operation: Operation,
  command: Command | undefined,
): Failure | null {
  const { scope: needed, consumes } = operationRow(operation);
  if (participant.number === KEY_HOLDER) return keyProblem(participant, operation, consumes);
  if (operation === "readPrivate" && participant.scopes.includes("review")) return null;
  if (!participant.scopes.includes(needed)) return denied(needed, "token_lacks");
  if (operation === "approve" && participant.filled) return OWN_WORK;
  if (operation === "decline" && !canDecline(participant)) return denied("fill", "token_lacks");
  if (command?.operation === "checkpoint" && command.pinned === true && !isOwner(participant)) {
    return denied("own", "token_lacks");
  }
  return command?.operation === "handoff" ? scopesProblem(participant, command.scopes) : null;
}

/** Only a person can decline: asked by a link, to fill in or to review. */
const canDecline = ({ link, scopes }: Participant): boolean =>
  link !== undefined && (scopes.includes("fill") || scopes.includes("review"));

/**
 * What a key can do itself, apart from reading. Everything else needs a participant that it
 * creates.
 */
const KEY_OPERATIONS: ReadonlySet<Operation> = new Set([
  "revoke",
  "pause",
  "unpause",
  "extend",
  "cancel",
  "purge",
  "setLabels",
]);

function keyProblem(
  { scopes }: Participant,
  operation: Operation,
  consumes: boolean,
): Failure | null {
  const { scope } = operationRow(operation);
  if (scope === "view" && !consumes) {
    return scopes.includes("view") ? null : denied("read", "key_lacks");
  }
  if (!KEY_OPERATIONS.has(operation)) return denied(scope, "not_by_key");
  return scopes.includes("own") ? null : denied("manage", "key_lacks");
}

type Denial = Extract<Failure, { code: "scope_denied" }>;
const denied = (needed: Denial["needed"], why: Denial["why"]): Denial => ({
  code: "scope_denied",
  needed,
  why,
});

export const OWN_WORK = denied("review", "own_work");

export const isOwner = ({ scopes }: Pick<Participant, "scopes">): boolean => scopes.includes("own");

function scopesProblem(maker: Participant, requested: readonly Scope[]): Failure | null {
  const [wider] = ungrantable(maker, requested);
  if (wider === undefined) return null;
  return wider === "review" && maker.filled && maker.scopes.includes("handoff")
    ? denied("own", "filled")
    : denied(wider, "wider_than_own");
}

/**
 * All participants that one participant without `own` created, directly or through others, count as
 * one for approvals: none of them may approve if any of them filled.
 */
export const approvalProblem = (
  reviewer: Participant,
  all: readonly Participant[],
): Failure | null => (hasFilled(reviewer, all) ? OWN_WORK : null);

interface GrantRequest {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bind: Binding | null;
  /** What the handoff narrows it to; a link made by hand off has its own terms too. */
  readonly handoff: Pick<Handoff, "to" | "ask" | "show" | "events" | "showTitle">;
}

interface Grant {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bind?: Binding;
  readonly terms?: ParticipantTerms;
}

/**
 * Never grants more scopes, a later end, a wider binding or wider terms than the maker has. A later end is cut,
 * as a link's is by the end of its session. Another binding needs `own`.
 */
export function narrowGrant(maker: Participant, request: GrantRequest): Result<Grant> {
  const problem = scopesProblem(maker, request.scopes);
  if (problem !== null) return refuse(problem);
  const bind = isOwner(maker)
    ? { ...maker.bind, ...request.bind }
    : narrowBinding(maker.bind, request.bind);
  if (bind === null) return refuse(denied("own", "bound_elsewhere"));
  const terms = narrowTerms(maker, request.handoff);
  if (!terms.ok) return terms;
  if (terms.value !== undefined && request.scopes.includes("own")) {
    return refuse(invalid(OWN_IS_WHOLE, "scopes"));
  }
  const end = Math.min(request.expiresAt ?? Infinity, maker.expiresAt ?? Infinity);
  return ok({
    scopes: expandScopes(request.scopes),
    expiresAt: end === Infinity ? null : end,
    ...(Object.keys(bind).length === 0 ? {} : { bind }),
    ...(terms.value === undefined ? {} : { terms: terms.value }),
  });
}

const OWN_IS_WHOLE =
  'the scope "own" cannot be narrowed: leave out ask, show and events, or grant other scopes';
