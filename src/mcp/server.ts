/**
 * The MCP face. Every request gets a new server, so that no response can reach another client, with the
 * same tools for both generations of the protocol. Tools accept and return sessions as tokens; MCP
 * itself has no sessions here.
 */
import { createMcpHandler, McpServer, TRACEPARENT_META_KEY } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Env } from "../env";
import { telemetryOf, operationTelemetry } from "../gateway/request-telemetry";
import { Caller } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import { JobGateway } from "../gateway/job-gateway";
import { OwnerGateway } from "../gateway/owner-gateway";
import { Uploads } from "../gateway/uploads";
import { publicUrlOf } from "../gateway/public-url";
import { LIMITS } from "../domain/limits";
import { automationTools } from "./automation-tools";
import { bodyProblem, originProblem } from "./request-checks";
import { callTool } from "./call-tool";
import { EVENTS_CAPABILITY, hasEvents, registerEvents } from "./events/register";
import { handoffTools } from "./handoff-tools";
import { jobTools } from "./job-tools";
import { continuePrompt } from "./prompts";
import { ownerTools } from "./owner-tools";
import { publishOutputSchema, publishInputSchema } from "./published-schema";
import { sessionTools } from "./session-tools";
import type { ToolServices, Tool } from "./tool-kit";
import { workTools } from "./work-tools";
import { VERSION } from "../version";

const TOOLS: Readonly<Record<string, Tool>> = {
  ...sessionTools,
  ...workTools,
  ...handoffTools,
  ...automationTools,
  ...jobTools,
  ...ownerTools,
};

const INSTRUCTIONS =
  "Baton keeps work alive between the agents and people who work on it. Every session has a resume token: keep the newest one, and send it with each call. Calls that change something return the next token. Give them a random idempotency_key and repeat it when you repeat a call: nothing then happens twice. After a version_conflict, look at what you missed and repeat with if_version. When a call fails, do what nextActions says; never start over when catching up is possible.";

/** Built once: a server lives for one request, but its tools never change. */
const REGISTERED_TOOLS = Object.entries(TOOLS).map(([name, tool]) => ({
  name,
  tool,
  config: {
    title: tool.title,
    description: tool.description,
    inputSchema: publishInputSchema(tool.input.strict()),
    outputSchema: publishOutputSchema(tool.hasHandle ?? true),
    annotations: {
      readOnlyHint: tool.readOnly,
      // Both hints apply only to tools that write. The default is not idempotent.
      ...(tool.readOnly ? {} : { destructiveHint: tool.destructive }),
      ...(tool.idempotent && !tool.readOnly ? { idempotentHint: true } : {}),
    },
  },
}));

const CONTINUE_SESSION = {
  title: "Continue a session",
  description: "The session, the events you missed and the next step, as a starting point",
  argsSchema: z.object({ resume_token: z.string().describe("The newest resume token") }),
};

export async function serveMcp(request: Request, env: Env): Promise<Response> {
  const refusal = originProblem(request, env) ?? (await bodyProblem(request));
  if (refusal !== null) return refusal;
  const handler = createMcpHandler(() => createServer(env, request), {
    maxRequestBodySize: LIMITS.bodyBytes,
  });
  const response = await handler.fetch(request);
  // Responses contain tokens, so no cache may store them.
  const headers = new Headers(response.headers);
  headers.set("Cache-Control", "no-store");
  return new Response(response.body, { status: response.status, headers });
}

const servicesOf = (env: Env, caller: Caller): ToolServices => ({
  gateway: new Gateway(env, caller),
  jobs: new JobGateway(env, caller),
  owners: new OwnerGateway(env, caller),
  uploads: new Uploads(env, caller),
  request: caller.telemetry,
  isSilent: env.LOG === "off",
  publicUrl: publicUrlOf(env),
});

function createServer(env: Env, request: Request): McpServer {
  const { headers } = request;
  const requestCall = telemetryOf(request);
  const server = new McpServer(
    { name: "baton", title: "Baton", version: VERSION },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        ...(hasEvents(env) ? EVENTS_CAPABILITY : {}),
      },
    },
  );
  for (const { name, tool, config } of REGISTERED_TOOLS) {
    server.registerTool(name, config, async (args: unknown, { mcpReq: { _meta: meta } }) => {
      // A trace in the message's own metadata takes precedence over the header.
      const traceparent = meta?.[TRACEPARENT_META_KEY];
      const call = requestCall && operationTelemetry(requestCall, Date.now(), traceparent);
      const caller = new Caller(headers, env, call);
      return callTool({ ...tool, name }, servicesOf(env, caller), args);
    });
  }
  server.registerPrompt("continue_session", CONTINUE_SESSION, ({ resume_token }) =>
    continuePrompt(new Gateway(env, new Caller(headers, env, requestCall)), resume_token),
  );
  if (hasEvents(env)) {
    const callerOf = (): Caller => new Caller(headers, env, requestCall);
    registerEvents(server, env, callerOf, headers.get("Authorization"));
  }
  return server;
}
