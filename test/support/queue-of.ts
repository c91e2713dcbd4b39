/** The queue object of an agent in this Worker's settings, and the agent's name in it. */
import { env } from "cloudflare:workers";
import { agentsFromSetting } from "../../src/domain/jobs/agents-setting";
import { locateQueue } from "../../src/domain/jobs/queues";
import type { Env } from "../../src/env";
import type { AgentQueue } from "../../src/object/agent-queue";

const settings = env as unknown as Env;
const queues = settings.AGENT_QUEUE as unknown as DurableObjectNamespace<AgentQueue>;

export const allQueues = queues;

export function queueOf(agent: string) {
  const agents = agentsFromSetting(settings.AGENTS);
  if (!agents.ok) throw new Error("AGENTS cannot be read");
  const { object, queue } = locateQueue(agents.value, null, agent);
  return { stub: queues.get(queues.idFromName(object)), queue };
}
