/** Calls of every MCP tool with arguments by its published schema, spoilt; and messages that are none. */
import type { Chance } from "./chance.ts";
import { sample, spoil, type Shape } from "./from-schema.ts";
import type { Lane } from "./lane.ts";
import { toBytes, toText, wild } from "./wild.ts";
import type { Received, Sent } from "./wire.ts";

export interface McpTool {
  readonly name: string;
  readonly inputSchema: Shape;
}

const METHODS = [
  "tools/list",
  "prompts/get",
  "prompts/list",
  "initialize",
  "ping",
  "resources/list",
  "completion/complete",
  "x",
  "",
];

export function mcpAttempt(tools: readonly McpTool[], lane: Lane, chance: Chance): Sent {
  const accept = chance.is(0.95)
    ? "application/json, text/event-stream"
    : chance.pick(["*/*", "", "text/html"]);
  const bytes = toBytes(toText(message(tools, lane, chance)), chance);
  const method = chance.is(0.03) ? chance.pick(["GET", "DELETE", "PUT", "OPTIONS"]) : "POST";
  const body = method === "GET" ? Buffer.alloc(0) : bytes;
  return {
    method,
    path: "/mcp",
    headers: [
      ["Host", chance.is(0.98) ? "localhost" : "evil.example"],
      ["Accept", accept],
      ["Content-Type", chance.is(0.97) ? "application/json" : "text/plain"],
      ["Content-Length", String(body.length)],
      ...(chance.is(0.1)
        ? [["MCP-Protocol-Version", chance.pick(["2025-11-25", "1999-01-01", "x"])] as const]
        : []),
      ...(chance.is(0.05) ? [["Mcp-Session-Id", "x"] as const] : []),
    ],
    body,
  };
}

function message(tools: readonly McpTool[], lane: Lane, chance: Chance): unknown {
  if (chance.is(0.05)) return wild(chance);
  const id = chance.is(0.9) ? 1 : wild(chance);
  if (chance.is(0.08))
    return { jsonrpc: "2.0", id, method: chance.pick(METHODS), params: wild(chance) };
  const tool = chance.pick(tools);
  const made = sample(tool.inputSchema, tool.inputSchema, chance) as Record<string, unknown>;
  const known = {
    ...made,
    ...("resume_token" in made
      ? { resume_token: chance.is(0.85) ? lane.credentials.owner : lane.spent }
      : {}),
    ...("job_token" in made ? { job_token: lane.jobToken } : {}),
    ...("agent" in made ? { agent: lane.ids["name"] } : {}),
    ...("wait_ms" in made ? { wait_ms: 5 } : {}),
    ...("timeout_ms" in made ? { timeout_ms: 5 } : {}),
  };
  const args = chance.is(0.25) ? known : spoil(known, chance);
  const call = {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool.name, arguments: args },
  };
  return chance.is(0.05) ? spoil(call, chance) : call;
}

/** What is wrong inside an answer whose HTTP status is fine, and whether the call was refused. */
export function mcpOutcome(
  { text }: Received,
  codes: ReadonlySet<string>,
): { readonly fault: string | null; readonly isRefused: boolean } {
  const json = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  const { result, error } = JSON.parse(json) as {
    result?: { isError?: boolean; content?: { text: string }[] };
    error?: { code: number; message: string };
  };
  if (error !== undefined) {
    // The protocol's library calls params that do not fit an internal error, and lists what is wrong.
    const isInternal = error.code === -32603 && !error.message.startsWith("[");
    const fault = isInternal ? `an internal error: ${error.message}` : null;
    return { fault, isRefused: true };
  }
  if (result?.isError !== true) return { fault: null, isRefused: false };
  const problem = result.content?.[1]?.text;
  // Unknown tools are refused by the protocol itself, in words.
  if (problem === undefined) return { fault: null, isRefused: true };
  const { code } = JSON.parse(problem) as { code: string };
  const isKnown = codes.has(code) && code !== "internal";
  return { fault: isKnown ? null : `a tool failed with ${code}`, isRefused: true };
}
