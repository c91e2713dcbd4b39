/**
 * Whose jobs an executor is given. A queue belongs to the owner of the sessions whose jobs it holds and
 * to an agent, so that one owner's executors never see another's jobs.
 */
import { findAgent, type AgentEntry } from "./agents";

/** Neither an owner's name nor an agent's has a slash. */
export const queueName = (owner: string | null, agent: string): string =>
  owner === null ? agent : `${owner}/${agent}`;

/** Whose queue it is, by its name. */
export const ownerOfQueue = (name: string): string | null =>
  name.includes("/") ? name.slice(0, name.indexOf("/")) : null;

/**
 * The queues of one who showed the key of this entry. An agent that names no owner is the deployment's
 * own: it serves sessions of nobody, and every owner whose sessions mean this entry by the name.
 */
export function queuesOf(
  entry: AgentEntry,
  agents: readonly AgentEntry[],
  name: string,
  owners: readonly string[],
): readonly string[] {
  if (entry.owner !== undefined) return [queueName(entry.owner, name)];
  const served = owners.filter((owner) => findAgent(agents, name, owner) === entry);
  return [queueName(null, name), ...served.map((owner) => queueName(owner, name))];
}
