/**
 * Runs one call of a tool: parses its arguments and formats its result or refusal. A refusal is a tool
 * error with the problem as text only, because clients check structured content, also of errors,
 * against the tool's output schema.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { describeBug } from "../domain/bug";
import { invalid, type Failure } from "../domain/failure";
import type { Gateway, GatewayRefusal, GatewayReply } from "../gateway/gateway";
import { jsonProblem, parseAs } from "../protocol/parse-json";
import { toProblem } from "../protocol/problem";
import { readHandle, toRefusal, TOKEN_MISSING } from "./tool-kit";
import type { ToolServices, ToolResult, Tool } from "./tool-kit";
import { toToolProblem } from "./tool-problem";

type NamedTool = Tool & { readonly name: string };

export async function callTool(
  tool: NamedTool,
  services: ToolServices,
  args: unknown,
): Promise<CallToolResult> {
  const reply = await runSafely(tool, services, args);
  const code = reply.ok ? undefined : reply.failure.code;
  const { request: telemetry } = services;
  telemetry?.report({
    telemetry,
    route: "/mcp",
    operation: tool.name,
    code,
    isAuditable: !tool.readOnly,
  });
  return reply.ok ? toCallResult(reply.value) : toErrorResult(reply, tool.name, args);
}

async function runSafely(
  tool: NamedTool,
  services: ToolServices,
  args: unknown,
): Promise<GatewayReply<ToolResult>> {
  try {
    return await run(tool, services, args);
  } catch (error) {
    const { requestId, sessionId } = services.request ?? {};
    const facts = { requestId, sessionId, tool: tool.name, ...describeBug(error) };
    if (!services.isSilent) console.error(JSON.stringify({ message: "unhandled", ...facts }));
    return toRefusal({ code: "internal" });
  }
}

async function run(
  tool: NamedTool,
  services: ToolServices,
  args: unknown,
): Promise<GatewayReply<ToolResult>> {
  const { gateway } = services;
  const problem = jsonProblem(args);
  if (problem !== null) return refuseMalformed(tool, gateway, args, invalid(problem));
  const parsed = parseAs(tool.input.strict(), args);
  if (!parsed.ok)
    return refuseMalformed(tool, gateway, args, nameUnknownArgument(tool, parsed.error));
  return tool.run(services, parsed.value);
}

/** The failure for an argument that the tool does not have lists the arguments that it has. */
function nameUnknownArgument({ name, input }: NamedTool, failure: Failure): Failure {
  const at = "at" in failure ? failure.at : undefined;
  const known = Object.keys(input.shape);
  return at === undefined || known.includes(at.split(".")[0] ?? "")
    ? failure
    : invalid(`${name} has no argument ${JSON.stringify(at)}. It has: ${known.join(", ")}`, at);
}

/** As over HTTP, a wrong or spent token is reported before other errors of the arguments. */
async function refuseMalformed(
  tool: Tool,
  gateway: Gateway,
  args: unknown,
  failure: Failure,
): Promise<GatewayRefusal> {
  const { resume_token } = (args ?? {}) as { resume_token?: unknown };
  if (!("resume_token" in tool.input.shape) || typeof resume_token !== "string") {
    const isMissing =
      resume_token === undefined && "at" in failure && failure.at === "resume_token";
    return toRefusal(isMissing ? invalid(TOKEN_MISSING, "resume_token") : failure);
  }
  const credential = await readHandle(gateway, { resume_token });
  if (!credential.ok) return toRefusal(credential.error);
  return gateway.refusal(credential.value, failure);
}

/** The facts are also sent as text, because not every client shows the structured part to the model. */
const toCallResult = ({ text, facts }: ToolResult): CallToolResult => ({
  content: [
    { type: "text", text },
    { type: "text", text: JSON.stringify(facts) },
  ],
  structuredContent: facts as Record<string, unknown>,
});

const argumentText = ({ at }: { readonly at?: string | undefined }): readonly string[] =>
  at === undefined ? [] : [`Argument: ${at}.`];

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The same problem as over HTTP, in terms of tools: code, current state, next actions. */
function toErrorResult(
  { failure, ...context }: GatewayRefusal,
  tool: string,
  args: unknown,
): CallToolResult {
  const known = context as Parameters<typeof toProblem>[1];
  const problem = toToolProblem(
    toProblem(failure, known),
    tool,
    (args ?? {}) as Record<string, unknown>,
  );
  return {
    isError: true,
    content: [
      {
        type: "text",
        text: [
          `${problem.code}: ${sentence(problem.detail)}`,
          ...argumentText(problem),
          ...problem.nextActions,
        ].join(" "),
      },
      { type: "text", text: JSON.stringify(problem) },
    ],
  };
}
