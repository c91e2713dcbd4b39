/** The agents a deployment knows, as it lists them, and what a job's `agent` means among them. */
import { invalid, type Failure } from "../failure";
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
}

const ANY_AGENT = "*";
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** From the deployment's list, which may come as text. */
export const agentsOf = (
  list: string | readonly AgentEntry[] | undefined,
): readonly AgentEntry[] => {
  if (list === undefined || list === "") return [];
  return typeof list === "string" ? (JSON.parse(list) as readonly AgentEntry[]) : list;
};

export const findAgent = (agents: readonly AgentEntry[], name: string): AgentEntry | null =>
  isAgentName(name)
    ? (agents.find((one) => one.name === name) ??
      agents.find((one) => one.name === ANY_AGENT) ??
      null)
    : null;

const isAgentName = (name: string): boolean =>
  name.length <= LIMITS.agentNameLength && WORD.test(name);

/** `name` or `name@version`, as one that is listed. */
export function resolveAgent(
  agents: readonly AgentEntry[],
  wanted: string,
): Result<ResolvedAgent, Failure> {
  const [name = "", version, ...rest] = wanted.split("@");
  if (!isAgentName(name) || rest.length > 0 || (version !== undefined && !isAgentName(version))) {
    return refuse(invalid("an agent is a name, or a name and a version as name@version", "agent"));
  }
  const entry = findAgent(agents, name);
  if (entry === null) return refuse({ code: "not_found", what: "agent" });
  const { versions = [] } = entry;
  if (version === undefined) {
    return ok({ name, version: entry.default ?? versions[0] ?? null });
  }
  const isKnown = entry.name === ANY_AGENT || versions.includes(version);
  return isKnown ? ok({ name, version }) : refuse({ code: "not_found", what: "agent version" });
}
