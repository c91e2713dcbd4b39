/** The setting AGENTS beside the others: whether each agent asks for a key, and is of an owner that is listed. */
import { parseAgents } from "../../src/domain/jobs/agents-setting.ts";
import type { AgentEntry } from "../../src/domain/jobs/agents.ts";

/** What is wrong with the list, in words that follow "AGENTS ". */
export function agentsProblem(value: string): string | null {
  const agents = parseAgents(value);
  return agents.ok ? null : agents.error;
}

/** Of a list that is right. */
const agentsIn = (value: string): readonly AgentEntry[] => {
  const agents = parseAgents(value);
  return agents.ok ? agents.value : [];
};

/** The first agent whose jobs anybody could claim. One of an owner is claimed with a key of that owner. */
export const keylessAgent = (value: string): string | undefined =>
  agentsIn(value).find(({ keyHash, owner }) => keyHash === undefined && owner === undefined)?.name;

/** The first agent that serves an owner who is not there: it would never get a job. */
export function strayAgentProblem(value: string, owners: readonly string[]): string | null {
  const agents = agentsIn(value);
  const at = agents.findIndex(({ owner }) => owner !== undefined && !owners.includes(owner));
  return at === -1
    ? null
    : `is wrong: [${at}].owner is "${agents[at]?.owner}", which OWNERS does not list`;
}
