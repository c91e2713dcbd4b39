/** Malformed input is refused in the one error format, changes nothing, and the server goes on. */
import type { Period } from "../observer.ts";
import { lawsAbout, type RunLaw } from "./law.ts";

export type Surface = "HTTP" | "HTTP bytes" | "MCP" | "pages" | "sockets" | "forged headers";

export interface MalformedAnswer extends Period {
  readonly surface: Surface;
  /** What was sent, without credentials. */
  readonly sent: string;
  readonly method: string;
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Sent with a token that is bound to another network or principal. */
  readonly isBound?: boolean;
}

export interface MalformedObservation {
  /** How often each surface answered what. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly operations: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
  /** Answers that are wrong unless the server was down; all others are only counted. */
  readonly suspects: readonly MalformedAnswer[];
  /** How often a session was compared with what it was before requests that were all refused. */
  readonly compared: number;
  readonly changes: readonly string[];
  readonly valid: { readonly sent: number; readonly refusals: readonly string[] };
  readonly outages: readonly Period[];
  readonly isServing: boolean;
}

const TOKEN = /\b[rj]tok_[\w-]{30,}/;
export const BOUND_TITLE = "title-of-a-bound-session";
/** After a killed runtime or a full disk, objects may need a moment to load again. */
const RECOVERY_MS = 2_000;

/** What is wrong with an answer, or null. */
export function answerProblem(answer: MalformedAnswer, codes: ReadonlySet<string>): string | null {
  const { surface, status, headers, text } = answer;
  const isBytes = surface === "HTTP bytes" || surface === "forged headers";
  // A first line without a method reaches no code of the product.
  if (status === 501 && isBytes && text.startsWith("ERROR: Unrecognized request method."))
    return null;
  const isDeliberate = headers["retry-after"] !== undefined && text.includes('"overloaded"');
  if (status >= 500 && !(status === 503 && isDeliberate)) {
    return `it answered ${status}: ${text.slice(0, 300)}`;
  }
  if (surface === "sockets") return text === "" ? null : text;
  if (status === 0) return isBytes ? null : `it closed without an answer: ${text.slice(0, 300)}`;
  if (surface === "forged headers") return forgeryProblem(answer);
  if (status < 400) return surface === "MCP" ? toolProblem(text, codes) : null;
  if (TOKEN.test(`${text}\n${Object.values(headers).join("\n")}`)) {
    return `it shows a token with ${status}`;
  }
  if (surface === "HTTP") return formatProblem(answer, codes);
  if (surface === "MCP" && text !== "" && parsed(text) === null && !text.includes("data: {")) {
    return `it answered ${status} with what is not JSON: ${text.slice(0, 200)}`;
  }
  return null;
}

function forgeryProblem({ status, text, isBound }: MalformedAnswer): string | null {
  if (status === 429) return "a caller was limited by an address that it only claims";
  if (text.includes(BOUND_TITLE)) return "a bound session was shown";
  return isBound === true && status < 400 ? `a token bound elsewhere got ${status}` : null;
}

function formatProblem(
  { status, headers, text, method }: MalformedAnswer,
  codes: ReadonlySet<string>,
): string | null {
  const type = headers["content-type"] ?? "no type";
  if (!type.startsWith("application/problem+json")) {
    return `${status} came as ${type}: ${text.slice(0, 200)}`;
  }
  if (method === "HEAD") return null;
  const problem = parsed(text) as { readonly code: string; readonly status: number } | null;
  if (problem === null) return `${status} came with a broken body: ${text.slice(0, 200)}`;
  if (!codes.has(problem.code)) return `the code ${problem.code} is not known`;
  return problem.status === status ? null : `${status} says that it is ${problem.status}`;
}

interface ToolAnswer {
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const toolAnswerIn = (text: string): ToolAnswer =>
  (parsed(text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}")) ??
    {}) as ToolAnswer;

export const isToolRefusal = (text: string): boolean => {
  const { error, result } = toolAnswerIn(text);
  return error !== undefined || result?.isError === true;
};

function toolProblem(text: string, codes: ReadonlySet<string>): string | null {
  const { error, result } = toolAnswerIn(text);
  // The protocol's library calls params that do not fit an internal error, and lists what is wrong.
  if (error?.code === -32603 && !error.message.startsWith("[")) {
    return `an internal error: ${error.message}`;
  }
  // The protocol itself refuses unknown tools, with a text only.
  const problem = result?.isError === true ? result.content?.[1]?.text : undefined;
  if (problem === undefined) return null;
  const { code } = JSON.parse(problem) as { readonly code: string };
  return codes.has(code) && code !== "internal" ? null : `a tool failed with ${code}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Only what a server without an outage would not have answered is excused. */
const isExcused = ({ status, surface, from, to }: MalformedAnswer, outages: readonly Period[]) =>
  (status === 0 || status >= 500 || surface === "sockets") &&
  outages.some((one) => one.from <= to && one.to + RECOVERY_MS >= from);

/** Lines of a server's log about an error that no code caught. */
export const unhandledIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) => /unhandled|uncaught|"message":"internal|rejection|exception/i.test(line));

const law = lawsAbout("malformed");

export const MALFORMED_LAWS: readonly RunLaw[] = [
  law(
    "malformed input gets a problem in the one error format",
    ["M-2", "M-9", "M-10", "T-3", "Q-7"],
    ({ suspects, outages, codes }) =>
      suspects
        .filter((answer) => !isExcused(answer, outages))
        .flatMap((answer) => {
          const problem = answerProblem(answer, codes);
          return problem === null ? [] : [`${answer.surface}: ${problem}\n  ${answer.sent}`];
        }),
  ),
  law("a refused request changes nothing", ["T-4"], ({ changes }) => changes),
  law("the server still serves", ["M-8"], ({ isServing, valid: { refusals } }) => [
    ...(isServing ? [] : ["it no longer answers"]),
    ...refusals.map((what) => `a valid write ${what}`),
  ]),
];
