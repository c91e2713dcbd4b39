/**
 * Which jobs an executor gets, and the queues they wait in. A queue belongs to one agent and to the
 * owner of the sessions, so that an owner's executors never see another owner's jobs.
 */
import { ANY_AGENT, findAgent, type AgentEntry } from "./agents";

/** Names of owners and agents contain no slash. */
const queueName = (owner: string | null, agent: string): string =>
  owner === null ? agent : `${owner}/${agent}`;

/** Tells the object which of its queues the caller waits for. */
export const QUEUE_HEADER = "Baton-Queue";

/** A queue and the object that stores it. */
export interface QueueLocation {
  readonly owner: string | null;
  /** The object's name. */
  readonly object: string;
  /** Identifies the queue within its object. Empty if the object has only this queue. */
  readonly queue: string;
}

/** Enough objects that their queues rarely delay each other, and few enough to leave behind unused. */
export const SHARED_QUEUE_OBJECTS = 16;

/**
 * Each name that the deployment lists has its own object. Names that only `*` matches can be
 * invented without limit, and calling an object leaves a file behind, so they share a fixed number
 * of objects.
 */
export function locateQueue(
  agents: readonly AgentEntry[],
  owner: string | null,
  agent: string,
): QueueLocation {
  const queue = queueName(owner, agent);
  const isUnlisted = findAgent(agents, agent, owner)?.name === ANY_AGENT;
  return isUnlisted ? sharedQueueLocation(owner, queue) : { owner, object: queue, queue: "" };
}

const sharedQueueLocation = (owner: string | null, queue: string): QueueLocation => ({
  owner,
  object: `${ANY_AGENT}/${checksumOf(queue) % SHARED_QUEUE_OBJECTS}`,
  queue,
});

/** The queues of jobs that were offered before the deployment listed these agents. */
export const previousQueueLocations = (
  queues: readonly QueueLocation[],
): readonly QueueLocation[] =>
  queues
    .filter(({ queue }) => queue === "")
    .map(({ owner, object }) => sharedQueueLocation(owner, object));

/** Distributes names over objects. It does not have to be hard to guess. */
function checksumOf(text: string): number {
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 0x1_0000;
  return sum;
}

/**
 * The queues of an executor that has the key of this entry. An agent without an owner belongs to
 * the deployment. It serves sessions without an owner, and all owners for whom the name resolves to
 * this entry.
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
