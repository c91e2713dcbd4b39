/** Checks the setting AGENTS against the others: whether each agent requires a key, and has a listed owner. */
import { parseAgents } from "../../src/domain/jobs/agents-setting.ts";
import type { AgentEntry } from "../../src/domain/jobs/agents.ts";

/** The problem with the list, as a text that follows "AGENTS ". */
export function agentsProblem(value: string): string | null {
  const agents = parseAgents(value);
  return agents.ok ? null : agents.error;
}

/** The agents of a valid list. */
const agentsIn = (value: string): readonly AgentEntry[] => {
  const agents = parseAgents(value);
  return agents.ok ? agents.value : [];
};

/** The first agent whose jobs any caller could claim. Jobs of an owner's agent need a key of that owner. */
export const keylessAgent = (value: string): string | undefined =>
  agentsIn(value).find(({ keyHash, owner }) => keyHash === undefined && owner === undefined)?.name;

/** The first agent of an owner who is not listed. It would never get a job. */
export function strayAgentProblem(value: string, owners: readonly string[]): string | null {
  const agents = agentsIn(value);
  const at = agents.findIndex(({ owner }) => owner !== undefined && !owners.includes(owner));
  return at === -1
    ? null
    : `is wrong: [${at}].owner is "${agents[at]?.owner}", which OWNERS does not list`;
}
