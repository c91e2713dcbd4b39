/** The agents of a deployment, and how a job's `agent` is resolved among them. */
import { invalid } from "../failure";
import { LIMITS } from "../limits";
import { ok, refuse, type Result } from "../result";
import type { ResolvedAgent } from "./job-rules";

export interface AgentEntry {
  /** `*` matches any name. Use it only for local development. */
  readonly name: string;
  readonly versions?: readonly string[];
  /** The version that a name without a version means. If absent, the first version. */
  readonly default?: string;
  /** SHA-256, in hex, of the key that its executors send. If absent, anyone may claim its jobs. */
  readonly keyHash?: string;
  /** The only owner whose sessions it serves. If absent, it is an agent of the deployment. */
  readonly owner?: string;
}

/** An entry with this name matches every name. */
export const ANY_AGENT = "*";
const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * The agent with this name for a session of this owner: the owner's own agent, otherwise the
 * deployment's.
 */
export function findAgent(
  agents: readonly AgentEntry[],
  name: string,
  owner: string | null,
): AgentEntry | null {
  if (!isAgentName(name)) return null;
  const findIn = (ownerName: string | undefined): AgentEntry | null => {
    const candidates = agents.filter((one) => one.owner === ownerName);
    const exact = candidates.find((one) => one.name === name);
    return exact ?? candidates.find((one) => one.name === ANY_AGENT) ?? null;
  };
  return (owner === null ? null : findIn(owner)) ?? findIn(undefined);
}

/** The agents that a session of this owner can submit jobs to. */
export const agentsFor = (
  agents: readonly AgentEntry[],
  owner: string | null,
): readonly AgentEntry[] =>
  agents.filter(({ name, owner: entryOwner }) => {
    const isReplaced = agents.some((own) => own.owner === owner && own.name === name);
    return entryOwner === undefined ? !isReplaced : entryOwner === owner;
  });

const isAgentName = (name: string): boolean =>
  name.length <= LIMITS.agentNameLength && NAME_PATTERN.test(name);

/** Resolves `name` or `name@version` to a listed agent. */
export function resolveAgent(
  agents: readonly AgentEntry[],
  reference: string,
  owner: string | null,
): Result<ResolvedAgent> {
  const [name = "", version, ...rest] = reference.split("@");
  if (!isAgentName(name) || rest.length > 0 || (version !== undefined && !isAgentName(version))) {
    return refuse(
      invalid("an agent must be a name, or a name and a version as name@version", "agent"),
    );
  }
  const entry = findAgent(agents, name, owner);
  if (entry === null) return refuse({ code: "not_found", what: "agent" });
  const { versions = [] } = entry;
  if (version === undefined) return ok({ name, version: entry.default ?? versions[0] ?? null });
  const isKnown = entry.name === ANY_AGENT || versions.includes(version);
  return isKnown ? ok({ name, version }) : refuse({ code: "not_found", what: "agent version" });
}
