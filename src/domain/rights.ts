/** Scopes, and the two rules beside them: no wider handoff than oneself, no approval of own work. */
import type { Command } from "./command";
import type { Failure } from "./failure";
import { rowOf, type Operation } from "./operation";
import type { Participant } from "./participant";
import { ungrantable } from "./scope";

export function rightsProblem(
  participant: Participant,
  operation: Operation,
  command: Command | undefined,
): Failure | null {
  const needed = rowOf(operation).scope;
  if (!participant.scopes.includes(needed)) {
    return { code: "scope_denied", needed, why: "lacking" };
  }
  if (operation === "approve" && participant.filled) {
    return { code: "scope_denied", needed, why: "own_work" };
  }
  if (command?.operation === "handoff") {
    const [wider] = ungrantable(participant.scopes, command.scopes);
    if (wider !== undefined) return { code: "scope_denied", needed: wider, why: "wider_than_own" };
  }
  return null;
}
