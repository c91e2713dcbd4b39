/** What no answer may be, whatever was sent. */
import type { Received } from "./wire.ts";

const TOKEN = /\b[rj]tok_[\w-]{30,}/;
const PROBLEM = "application/problem+json";
const NO_METHOD = "ERROR: Unrecognized request method.";

export interface Expectation {
  readonly codes: ReadonlySet<string>;
  /** Pages answer people, the protocol of MCP has errors of its own, and bytes that are no HTTP are answered by the runtime. */
  readonly kind: "api" | "page" | "mcp" | "bytes";
  readonly method: string;
}

/** What is wrong with the answer, or null. */
export function faultOf({ status, headers, text }: Received, expected: Expectation): string | null {
  // A first line with no method in it reaches no code of ours.
  if (status === 501 && expected.kind === "bytes" && text.startsWith(NO_METHOD)) return null;
  if (status >= 500 && !(status === 503 && isDeliberate(headers, text))) {
    return `it answered ${status}: ${text.slice(0, 300)}`;
  }
  if (status === 0)
    return expected.kind === "bytes" ? null : `it closed without an answer: ${text}`;
  if (status < 400) return null;
  const said = `${text}\n${Object.values(headers).join("\n")}`;
  if (TOKEN.test(said)) return `it shows a token with ${status}`;
  if (expected.kind === "api") return problemFault(status, headers, text, expected);
  if (expected.kind === "mcp" && text !== "" && !isJson(text)) {
    return `it answered ${status} with what is no JSON: ${text.slice(0, 200)}`;
  }
  return null;
}

const isDeliberate = (headers: Received["headers"], text: string): boolean =>
  headers["retry-after"] !== undefined && text.includes('"overloaded"');

function problemFault(
  status: number,
  headers: Received["headers"],
  text: string,
  { codes, method }: Expectation,
): string | null {
  const type = headers["content-type"] ?? "none";
  if (!type.startsWith(PROBLEM)) return `${status} came as ${type}: ${text.slice(0, 200)}`;
  if (method === "HEAD") return null;
  try {
    const problem = JSON.parse(text) as { code: string; status: number };
    if (!codes.has(problem.code)) return `the code ${problem.code} is not known`;
    return problem.status === status ? null : `${status} says that it is ${problem.status}`;
  } catch {
    return `${status} came with a broken body: ${text.slice(0, 200)}`;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.includes("data: {");
  }
}

/** Lines of the server's log that tell of something nobody caught. */
export const unhandledIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) => /unhandled|uncaught|"message":"internal|rejection|exception/i.test(line));
