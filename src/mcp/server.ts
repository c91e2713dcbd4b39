/**
 * The MCP face: a new server for every request, so that no answer can reach another client, with the
 * same tools for both eras of the protocol. Sessions are handles that tools take and return; the
 * protocol itself keeps none.
 */
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { invalid } from "../domain/failure";
import type { Env } from "../env";
import { Gateway, type GatewayRefusal } from "../gateway/gateway";
import { LIMITS } from "../domain/limits";
import { jsonProblem } from "../protocol/json-guard";
import { toProblem } from "../protocol/problem";
import { automationTools } from "./automation-tools";
import { originProblem } from "./origin-guard";
import { continuePrompt } from "./prompts";
import { sessionTools } from "./session-tools";
import type { Told, Tool } from "./tool-kit";
import { workTools } from "./work-tools";

const TOOLS: Readonly<Record<string, Tool>> = {
  ...sessionTools,
  ...workTools,
  ...automationTools,
};

const INSTRUCTIONS =
  "Baton keeps work alive between the hands that work on it. Every session has a resume token: keep the newest one, and send it with each call. Calls that change something return the next token. When a call fails, do what nextActions says; never start over when catching up is possible.";

export async function serveMcp(request: Request, env: Env): Promise<Response> {
  const refused = originProblem(request, env);
  if (refused !== null) return refused;
  const handler = createMcpHandler(() => createServer(new Gateway(env)), {
    maxRequestBodySize: LIMITS.bodyBytes,
  });
  return handler.fetch(request);
}

function createServer(gateway: Gateway): McpServer {
  const server = new McpServer(
    { name: "baton", title: "Baton", version: "0.1.0" },
    { instructions: INSTRUCTIONS },
  );
  for (const [name, tool] of Object.entries(TOOLS)) {
    const { title, description, input, output, readOnly, destructive, idempotent } = tool;
    const annotations = {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    };
    const config = {
      title,
      description,
      inputSchema: input.strict(),
      outputSchema: output,
      annotations,
    };
    server.registerTool(name, config, async (args: unknown) => callTool(tool, gateway, args));
  }
  server.registerPrompt(
    "continue_session",
    {
      title: "Continue a session",
      description: "The session as it is, what was missed and the next step, as a starting point",
      argsSchema: z.object({ resume_token: z.string().describe("The newest resume token") }),
    },
    ({ resume_token }) => continuePrompt(gateway, resume_token),
  );
  return server;
}

async function callTool(tool: Tool, gateway: Gateway, args: unknown) {
  const problem = jsonProblem(args);
  const reply =
    problem === null
      ? await tool.run(gateway, args as Record<string, unknown>)
      : ({ ok: false, failure: invalid(problem) } as const);
  return reply.ok ? success(reply.value) : failed(reply);
}

/** The facts as text as well: not every client shows a model the structured part. */
const success = ({ text, facts }: Told) => ({
  content: [
    { type: "text" as const, text },
    { type: "text" as const, text: JSON.stringify(facts) },
  ],
  structuredContent: facts as Record<string, unknown>,
});

/** The same problem as over HTTP: code, current state, next actions. */
function failed({ failure, ...context }: GatewayRefusal) {
  const problem = toProblem(failure, context as Parameters<typeof toProblem>[1]);
  const advice = problem.nextActions.join(" ");
  return {
    isError: true,
    content: [
      { type: "text" as const, text: `${problem.code}: ${problem.detail} ${advice}` },
      { type: "text" as const, text: JSON.stringify(problem) },
    ],
    structuredContent: problem as unknown as Record<string, unknown>,
  };
}
