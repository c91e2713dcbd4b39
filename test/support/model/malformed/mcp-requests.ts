/** Calls of every MCP tool with arguments for its schema, corrupted; and messages that are not JSON-RPC. */
import type { Random } from "../../live/random.ts";
import { bodyBytes, jsonText, oddValue } from "./odd-values.ts";
import { corrupt, valueFor, type JsonSchema } from "./schema-values.ts";
import type { TargetSession } from "./target-session.ts";
import type { Sent } from "./transport.ts";

export interface McpTool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

const METHODS =
  " initialize ping completion/complete x tools/list prompts/get prompts/list resources/list".split(
    " ",
  );

export function mcpRequest(tools: readonly McpTool[], target: TargetSession, random: Random): Sent {
  const text = jsonText(message(tools, target, random));
  const method = random.chance(0.03) ? random.pick(["GET", "DELETE", "PUT", "OPTIONS"]) : "POST";
  const body = method === "GET" ? Buffer.alloc(0) : bodyBytes(text, random);
  const both = "application/json, text/event-stream";
  const headers: [string, string][] = [
    ["Host", random.chance(0.98) ? "localhost" : "evil.example"],
    ["Accept", random.chance(0.95) ? both : random.pick(["*/*", "", "text/html"])],
    ["Content-Type", random.chance(0.97) ? "application/json" : "text/plain"],
    ["Content-Length", String(body.length)],
  ];
  if (random.chance(0.1))
    headers.push(["MCP-Protocol-Version", random.pick(["2025-11-25", "1999-01-01", "x"])]);
  if (random.chance(0.05)) headers.push(["Mcp-Session-Id", "x"]);
  return { method, path: "/mcp", headers, body };
}

function message(tools: readonly McpTool[], target: TargetSession, random: Random): unknown {
  if (random.chance(0.05)) return oddValue(random);
  const id = random.chance(0.9) ? 1 : oddValue(random);
  if (random.chance(0.08))
    return { jsonrpc: "2.0", id, method: random.pick(METHODS), params: oddValue(random) };
  const tool = random.pick(tools);
  const made = valueFor(tool.inputSchema, tool.inputSchema, random) as Record<string, unknown>;
  const known: Readonly<Record<string, unknown>> = {
    resume_token: random.chance(0.85) ? target.credentials.owner : target.spent,
    job_token: target.jobToken,
    agent: target.ids["name"],
    wait_ms: 5,
    timeout_ms: 5,
  };
  for (const [name, value] of Object.entries(known)) if (name in made) made[name] = value;
  const args = random.chance(0.25) ? made : corrupt(made, random);
  const params = { name: tool.name, arguments: withShortWait(tool, args) };
  const call = { jsonrpc: "2.0", id, method: "tools/call", params };
  return random.chance(0.05) ? corrupt(call, random) : call;
}

/** Without it some tools wait long, which is allowed and would only delay the run. */
function withShortWait({ inputSchema }: McpTool, args: unknown): unknown {
  const properties = (inputSchema["properties"] ?? {}) as JsonSchema;
  const name = ["wait_ms", "timeout_ms"].find((one) => one in properties);
  if (name === undefined || typeof args !== "object" || args === null) return args;
  return Object.getPrototypeOf(args) === Object.prototype ? { [name]: 5, ...args } : args;
}
