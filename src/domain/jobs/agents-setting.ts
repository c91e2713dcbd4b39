/**
 * Parses and checks the setting `AGENTS`. It may be JSON text or the list itself. An error names
 * the position of the problem and is worded to follow "AGENTS ".
 *
 * Imports have file extensions, so that scripts can use this file directly.
 */
import type { Failure } from "../failure.ts";
import { ok, refuse, type Result } from "../result.ts";
import type { AgentEntry } from "./agents.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH = /^[0-9a-f]{64}$/i;
const MEMBERS: ReadonlySet<string> = new Set(["name", "versions", "default", "keyHash", "owner"]);

const INVALID_SETTING: Failure = {
  code: "not_configured",
  setting: "AGENTS",
  detail:
    "The setting AGENTS is not a valid list of agents, so no job can be submitted or claimed.",
};

/** The agents of this deployment. An invalid list is a mistake of the operator. */
export function agentsFromSetting(
  setting: string | readonly AgentEntry[] | undefined,
): Result<readonly AgentEntry[]> {
  if (setting === undefined || setting === "") return ok([]);
  const agents = parseAgents(setting);
  // The exact problem may quote the list, so callers learn only that the list is invalid.
  return agents.ok ? agents : refuse(INVALID_SETTING);
}

export function parseAgents(setting: unknown): Result<readonly AgentEntry[], string> {
  const list = typeof setting === "string" ? jsonIn(setting) : setting;
  if (!Array.isArray(list)) return refuse("must be a JSON list of agents");
  const names = new Set<string>();
  for (const [at, entry] of (list as readonly unknown[]).entries()) {
    const problem = entryProblem(entry);
    if (problem !== null) return refuse(`is wrong: [${at}]${problem}`);
    const { name, owner = "" } = entry as AgentEntry;
    if (names.has(`${owner}/${name}`)) return refuse(`is wrong: [${at}].name is listed twice`);
    names.add(`${owner}/${name}`);
  }
  return ok(list as readonly AgentEntry[]);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryProblem(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return " must be an object";
  }
  const unknown = Object.keys(entry).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) return ` has an unknown member: ${unknown}`;
  const {
    name,
    versions = [],
    default: defaultVersion,
    keyHash,
    owner,
  } = entry as Record<string, unknown>;
  if (owner !== undefined && (typeof owner !== "string" || !NAME.test(owner))) {
    return ".owner is not a valid name";
  }
  if (typeof name !== "string" || (name !== "*" && !NAME.test(name)))
    return ".name is not a valid name";
  const isList = Array.isArray(versions) && versions.every((one) => NAME.test(String(one)));
  if (!isList) return ".versions must be a list of names";
  if (defaultVersion !== undefined && !(versions as readonly unknown[]).includes(defaultVersion)) {
    return ".default must be one of its versions";
  }
  const isHash = typeof keyHash === "string" && HASH.test(keyHash);
  return keyHash === undefined || isHash ? null : ".keyHash must be a SHA-256 in hex, 64 digits";
}
