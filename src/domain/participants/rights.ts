/**
 * Scopes, and the rules beside them: nobody approves own work, and rights only narrow. What a
 * participant makes gets its scopes, its end and its binding from `narrowed`, and from nowhere else.
 */
import { narrowBinding, type Binding } from "./binding";
import type { Command } from "../session/command";
import type { Failure } from "../failure";
import { operationRow, type Operation } from "../session/operation";
import { KEY_HOLDER } from "../owners/key-holder";
import { hasFilled, type Participant } from "./participant";
import { ok, refuse, type Result } from "../result";
import { expandScopes, ungrantable, type Scope } from "./scope";

export function rightsProblem(
  participant: Participant,
  operation: Operation,
  command: Command | undefined,
): Failure | null {
  const { scope: needed, consumes } = operationRow(operation);
  if (participant.number === KEY_HOLDER) return keyProblem(participant, operation, consumes);
  if (operation === "readPrivate" && participant.scopes.includes("review")) return null;
  if (!participant.scopes.includes(needed)) return denied(needed, "lacking");
  if (operation === "approve" && participant.filled) return OWN_WORK;
  if (operation === "decline" && !canDecline(participant)) return denied("fill", "lacking");
  if (command?.operation === "checkpoint" && command.pinned === true && !isOwner(participant)) {
    return denied("own", "lacking");
  }
  return command?.operation === "handoff" ? scopesProblem(participant, command.scopes) : null;
}

/** Who is asked in person: by a link, to fill in or to decide. */
const canDecline = ({ link, scopes }: Participant): boolean =>
  link !== undefined && (scopes.includes("fill") || scopes.includes("review"));

/** What a key may do by itself, beside looking: the rest is for those it opens the session for. */
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

function scopesProblem(maker: Participant, wanted: readonly Scope[]): Failure | null {
  const [wider] = ungrantable(maker, wanted);
  if (wider === undefined) return null;
  return wider === "review" && maker.filled && maker.scopes.includes("handoff")
    ? denied("own", "filled")
    : denied(wider, "wider_than_own");
}

/**
 * Those whom one participant without `own` made, directly or through others, are one with it when it
 * comes to approving: which of them filled makes no difference.
 */
export const approvalProblem = (
  reviewer: Participant,
  all: readonly Participant[],
): Failure | null => (hasFilled(reviewer, all) ? OWN_WORK : null);

interface GrantRequest {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bind: Binding | null;
}

interface Grant {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly bind?: Binding;
}

/**
 * What the wish comes to: never more scopes, a later end or a wider binding than the maker's own. A
 * later end is cut, as a link's is by the end of its session; another binding takes `own`.
 */
export function narrowGrant(maker: Participant, wish: GrantRequest): Result<Grant> {
  const problem = scopesProblem(maker, wish.scopes);
  if (problem !== null) return refuse(problem);
  const bind = isOwner(maker)
    ? { ...maker.bind, ...wish.bind }
    : narrowBinding(maker.bind, wish.bind);
  if (bind === null) return refuse(denied("own", "bound_elsewhere"));
  const end = Math.min(wish.expiresAt ?? Infinity, maker.expiresAt ?? Infinity);
  return ok({
    scopes: expandScopes(wish.scopes),
    expiresAt: end === Infinity ? null : end,
    ...(Object.keys(bind).length === 0 ? {} : { bind }),
  });
}
