/** The setting AGENTS: the list of agents, and whether each asks for a key. */
import type { AgentEntry } from "../../src/domain/jobs/agents.ts";
import { jsonIn } from "./json.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH = /^[0-9a-f]{64}$/i;
const MEMBERS: ReadonlySet<string> = new Set(["name", "versions", "default", "keyHash", "owner"]);

/** What is wrong with the list, in words that follow "AGENTS ". */
export function agentsProblem(value: string): string | null {
  const list = jsonIn(value);
  if (!Array.isArray(list)) return "must be a JSON list of agents";
  const names = new Set<string>();
  for (const [at, entry] of (list as readonly unknown[]).entries()) {
    const problem = entryProblem(entry);
    if (problem !== null) return `is wrong: [${at}]${problem}`;
    const { name, owner = "" } = entry as AgentEntry & { readonly owner?: string };
    if (names.has(`${owner}/${name}`)) return `is wrong: [${at}].name is listed twice`;
    names.add(`${owner}/${name}`);
  }
  return null;
}

function entryProblem(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return " must be an object";
  }
  const unknown = Object.keys(entry).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) return ` has a member that is not known: ${unknown}`;
  const { name, versions = [], default: usual, keyHash, owner } = entry as Record<string, unknown>;
  if (owner !== undefined && (typeof owner !== "string" || !NAME.test(owner))) {
    return ".owner is no name";
  }
  if (typeof name !== "string" || (name !== "*" && !NAME.test(name))) return ".name is no name";
  const isList = Array.isArray(versions) && versions.every((one) => NAME.test(String(one)));
  if (!isList) return ".versions must be a list of names";
  if (usual !== undefined && !(versions as readonly unknown[]).includes(usual)) {
    return ".default must be one of its versions";
  }
  const isHash = typeof keyHash === "string" && HASH.test(keyHash);
  return keyHash === undefined || isHash ? null : ".keyHash must be a SHA-256 in hex, 64 digits";
}

/** The first agent whose jobs anybody could claim. One of an owner is claimed with a key of that owner. */
export const keylessAgent = (value: string): string | undefined =>
  (jsonIn(value) as readonly AgentEntry[]).find(
    ({ keyHash, owner }) => keyHash === undefined && owner === undefined,
  )?.name;
