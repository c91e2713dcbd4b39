/**
 * One call of one tool: its arguments checked as every face checks them, its answer or refusal told.
 * A refusal is a tool error with the problem as text only: structured content has to fit the tool's
 * output schema, and clients hold errors to it too.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { describeBug } from "../domain/bug";
import { invalid, type Failure } from "../domain/failure";
import type { Gateway, GatewayRefusal, GatewayReply } from "../gateway/gateway";
import { jsonProblem, parseAs } from "../protocol/json-guard";
import { toProblem } from "../protocol/problem";
import { readHandle, refusedBy, TOKEN_MISSING } from "./tool-kit";
import type { Services, Told, Tool } from "./tool-kit";
import { asToolProblem } from "./tool-problem";

type NamedTool = Tool & { readonly name: string };

export async function callTool(
  tool: NamedTool,
  services: Services,
  args: unknown,
): Promise<CallToolResult> {
  const reply = await runSafely(tool, services, args);
  const code = reply.ok ? undefined : reply.failure.code;
  const { request: call } = services;
  call?.tell({ call, route: "/mcp", operation: tool.name, code, isAct: !tool.readOnly });
  return reply.ok ? told(reply.value) : failed(reply, tool.name, args);
}

async function runSafely(
  tool: NamedTool,
  services: Services,
  args: unknown,
): Promise<GatewayReply<Told>> {
  try {
    return await run(tool, services, args);
  } catch (error) {
    const { requestId, sessionId } = services.request ?? {};
    const facts = { requestId, sessionId, tool: tool.name, ...describeBug(error) };
    if (!services.isSilent) console.error(JSON.stringify({ message: "unhandled", ...facts }));
    return refusedBy({ code: "internal" });
  }
}

async function run(
  tool: NamedTool,
  services: Services,
  args: unknown,
): Promise<GatewayReply<Told>> {
  const { gateway } = services;
  const problem = jsonProblem(args);
  if (problem !== null) return malformed(tool, gateway, args, invalid(problem));
  const parsed = parseAs(tool.input.strict(), args);
  if (!parsed.ok) return malformed(tool, gateway, args, unknownArgument(tool, parsed.error));
  return tool.run(services, parsed.value);
}

/** An argument that the tool does not have is named, with those that it has. */
function unknownArgument({ name, input }: NamedTool, failure: Failure): Failure {
  const at = "at" in failure ? failure.at : undefined;
  const known = Object.keys(input.shape);
  return at === undefined || known.includes(at.split(".")[0] ?? "")
    ? failure
    : invalid(`${name} has no argument ${JSON.stringify(at)}. It has: ${known.join(", ")}`, at);
}

/** As over HTTP: a token that is wrong or no longer good is told before what is wrong beside it. */
async function malformed(
  tool: Tool,
  gateway: Gateway,
  args: unknown,
  failure: Failure,
): Promise<GatewayRefusal> {
  const { resume_token } = (args ?? {}) as { resume_token?: unknown };
  if (!("resume_token" in tool.input.shape) || typeof resume_token !== "string") {
    const isMissing =
      resume_token === undefined && "at" in failure && failure.at === "resume_token";
    return refusedBy(isMissing ? invalid(TOKEN_MISSING, "resume_token") : failure);
  }
  const presented = await readHandle(gateway, { resume_token });
  if (!presented.ok) return refusedBy(presented.error);
  return gateway.refusal(presented.value, failure);
}

/** The facts as text as well: not every client shows a model the structured part. */
const told = ({ text, facts }: Told): CallToolResult => ({
  content: [
    { type: "text", text },
    { type: "text", text: JSON.stringify(facts) },
  ],
  structuredContent: facts as Record<string, unknown>,
});

const argument = ({ at }: { readonly at?: string | undefined }): readonly string[] =>
  at === undefined ? [] : [`Argument: ${at}.`];

const sentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);

/** The same problem as over HTTP, in words of tools: code, current state, next actions. */
function failed(
  { failure, ...context }: GatewayRefusal,
  tool: string,
  args: unknown,
): CallToolResult {
  const known = context as Parameters<typeof toProblem>[1];
  const problem = asToolProblem(
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
          ...argument(problem),
          ...problem.nextActions,
        ].join(" "),
      },
      { type: "text", text: JSON.stringify(problem) },
    ],
  };
}
