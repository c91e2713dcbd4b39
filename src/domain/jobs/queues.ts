/**
 * Whose jobs an executor is given, and where they wait. A queue belongs to the owner of the sessions
 * whose jobs it holds and to an agent, so that one owner's executors never see another's jobs.
 */
import { ANY_AGENT, findAgent, type AgentEntry } from "./agents";

/** Neither an owner's name nor an agent's has a slash. */
const queueName = (owner: string | null, agent: string): string =>
  owner === null ? agent : `${owner}/${agent}`;

/** Says to an object which of its queues somebody waits for. */
export const QUEUE_HEADER = "Baton-Queue";

/** A queue, and the object that keeps it. */
export interface QueueLocation {
  readonly owner: string | null;
  /** The object's name. */
  readonly object: string;
  /** Tells the queue from others in its object; empty where it has the object for itself. */
  readonly queue: string;
}

/** Enough that they rarely wait for each other, and few enough to be left behind. */
export const SHARED_QUEUE_OBJECTS = 16;

/**
 * A name that the deployment lists has an object of its own. Names that only `*` stands for can be
 * made up without end, and to ask an object leaves a file behind: they share a fixed number of them.
 */
export function locateQueue(
  agents: readonly AgentEntry[],
  owner: string | null,
  agent: string,
): QueueLocation {
  const queue = queueName(owner, agent);
  const isMadeUp = findAgent(agents, agent, owner)?.name === ANY_AGENT;
  return isMadeUp ? sharedQueueLocation(owner, queue) : { owner, object: queue, queue: "" };
}

const sharedQueueLocation = (owner: string | null, queue: string): QueueLocation => ({
  owner,
  object: `${ANY_AGENT}/${checksumOf(queue) % SHARED_QUEUE_OBJECTS}`,
  queue,
});

/** Where jobs may still wait that were offered before the deployment listed these agents. */
export const previousQueueLocations = (
  queues: readonly QueueLocation[],
): readonly QueueLocation[] =>
  queues
    .filter(({ queue }) => queue === "")
    .map(({ owner, object }) => sharedQueueLocation(owner, object));

/** Spreads names; not a hash that anything relies on being hard to guess. */
function checksumOf(text: string): number {
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 0x1_0000;
  return sum;
}

/**
 * The queues of one who showed the key of this entry. An agent that names no owner is the deployment's
 * own: it serves sessions of nobody, and every owner whose sessions mean this entry by the name.
 */
export function queuesForExecutor(
  entry: AgentEntry,
  agents: readonly AgentEntry[],
  name: string,
  owners: readonly string[],
): readonly QueueLocation[] {
  if (entry.owner !== undefined) return [locateQueue(agents, entry.owner, name)];
  const served = owners.filter((owner) => findAgent(agents, name, owner) === entry);
  return [null, ...served].map((owner) => locateQueue(agents, owner, name));
}
