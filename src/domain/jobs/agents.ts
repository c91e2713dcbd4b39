/** The agents a deployment knows, as it lists them, and what a job's `agent` means among them. */
import { invalid } from "../failure";
import { LIMITS } from "../limits";
import { ok, refuse, type Result } from "../result";
import type { ResolvedAgent } from "./job-rules";

export interface AgentEntry {
  /** `*` stands for any name: only for local development. */
  readonly name: string;
  readonly versions?: readonly string[];
  /** The version that a bare name means; else the first. */
  readonly default?: string;
  /** SHA-256, in hex, of the key its executors present; without one everybody may claim its jobs. */
  readonly keyHash?: string;
  /** Whose sessions it serves, and nobody else's. Without one it is the deployment's own. */
  readonly owner?: string;
}

/** Listed, it stands for every name. */
export const ANY_AGENT = "*";
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** What the name means in a session of this owner: the owner's own agent, else the deployment's. */
export function findAgent(
  agents: readonly AgentEntry[],
  name: string,
  owner: string | null,
): AgentEntry | null {
  if (!isAgentName(name)) return null;
  const named = (of: string | undefined): AgentEntry | null => {
    const theirs = agents.filter((one) => one.owner === of);
    const exact = theirs.find((one) => one.name === name);
    return exact ?? theirs.find((one) => one.name === ANY_AGENT) ?? null;
  };
  return (owner === null ? null : named(owner)) ?? named(undefined);
}

/** Those that a session of this owner can give jobs to. */
export const agentsFor = (
  agents: readonly AgentEntry[],
  owner: string | null,
): readonly AgentEntry[] =>
  agents.filter(({ name, owner: of }) => {
    const isReplaced = agents.some((own) => own.owner === owner && own.name === name);
    return of === undefined ? !isReplaced : of === owner;
  });

const isAgentName = (name: string): boolean =>
  name.length <= LIMITS.agentNameLength && WORD.test(name);

/** `name` or `name@version`, as one that is listed. */
export function resolveAgent(
  agents: readonly AgentEntry[],
  wanted: string,
  owner: string | null,
): Result<ResolvedAgent> {
  const [name = "", version, ...rest] = wanted.split("@");
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
