/** The name, version and features of this runtime, as the welcome states them. */
import { agentsFor, type AgentEntry } from "../domain/jobs/agents";
import { VERSION } from "../version";

export const RUNTIME = { name: "baton", version: VERSION } as const;

const FEATURES = [
  "heartbeat",
  "ack",
  "list_jobs",
  "subscribe",
  "lease_expires_at",
  "progress",
  "result_chunk",
  "agent_versions",
] as const;
export type Feature = (typeof FEATURES)[number];

/** The features that both sides support. */
export const commonFeatures = (offered: readonly string[]): readonly Feature[] =>
  FEATURES.filter((feature) => offered.includes(feature));

export const describeAgents = (
  agents: readonly AgentEntry[],
  owner: string | null,
): readonly object[] =>
  agentsFor(agents, owner).map(({ name, versions = [], default: preferred }) => ({
    name,
    versions,
    ...(preferred === undefined ? {} : { default: preferred }),
  }));
