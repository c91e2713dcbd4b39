/** Sends one malformed request or conversation on any surface, and says if it was refused. */
import type { Random } from "../../live/random.ts";
import { isToolRefusal, type MalformedAnswer, type Surface } from "../laws/malformed.ts";
import { forgedRequest, type BoundSession } from "./forged-headers.ts";
import { httpRequest, type ApiDescription, type DescribedOperation } from "./http-requests.ts";
import { mcpRequest, type McpTool } from "./mcp-requests.ts";
import { pageRequest } from "./page-requests.ts";
import { rawRequest } from "./raw-requests.ts";
import { converse } from "./socket-frames.ts";
import type { ComparedSession } from "./target-session.ts";
import {
  DEADLINE_MS,
  Hanging,
  sendBytes,
  sendRequest,
  type Received,
  type Sent,
} from "./transport.ts";

/** What the server says of itself, and what was prepared on it. */
export interface Described {
  readonly url: string;
  readonly api: ApiDescription;
  readonly operations: readonly DescribedOperation[];
  readonly tools: readonly McpTool[];
  readonly bound: readonly BoundSession[];
}

export interface Attempt {
  readonly answer: MalformedAnswer;
  /** The surface, or the kind of socket, and how it ended. */
  readonly counted: readonly [what: string, ended: string];
  /** Null if no certain answer came: the session may have changed. */
  readonly isRefused: boolean | null;
  readonly operation?: string | undefined;
  readonly tool?: string | undefined;
}

type SendOn = (to: Described, session: ComparedSession, random: Random) => Promise<Attempt>;

const SURFACES: Readonly<Record<Surface, SendOn>> = {
  async HTTP({ url, operations, api }, session, random) {
    const drawn = random.pick(operations);
    // What ends a session is tried, but not so often that nothing else is.
    const isFatal = /purge|cancel$|finalize|reject$/.test(drawn.id) && random.chance(0.7);
    const operation = isFatal ? random.pick(operations) : drawn;
    const { sent, by } = httpRequest(operation, session.target, api, random);
    const attempt = await exchange(url, "HTTP", sent);
    if (by !== null) learn(session, by, attempt.answer);
    const isRead = ["GET", "HEAD", "OPTIONS"].includes(sent.method);
    return { ...attempt, operation: operation.id, ...(isRead ? { isRefused: true } : {}) };
  },
  async MCP({ url, tools }, session, random) {
    const sent = mcpRequest(tools, session.target, random);
    const tool = /"name":"(\w+)"/.exec(sent.body.toString("utf8"))?.[1];
    const attempt = await exchange(url, "MCP", sent);
    learn(session, "owner", attempt.answer);
    const isRefused = attempt.isRefused === false ? isToolRefusal(attempt.answer.text) : null;
    return { ...attempt, tool, isRefused: isRefused ?? attempt.isRefused };
  },
  pages: ({ url }, { target }, random) => exchange(url, "pages", pageRequest(target, random)),
  async "HTTP bytes"({ url }, session, random) {
    const attempt = await exchangeBytes(url, "HTTP bytes", rawRequest(session.target, random));
    learn(session, "owner", attempt.answer);
    // None of them is whole, so that one without an answer did nothing.
    return attempt.answer.status === 0 ? { ...attempt, isRefused: true } : attempt;
  },
  async "forged headers"({ url, bound }, _, random) {
    const { bytes, isBound } = forgedRequest(bound, random);
    const { answer, counted } = await exchangeBytes(url, "forged headers", bytes);
    return { answer: { ...answer, isBound }, counted, isRefused: true };
  },
  async sockets({ url }, session, random) {
    const from = Date.now();
    const kind = random.pick(["WebSocket", "ARCP"] as const);
    const { ended, problem, token } = await converse(url, kind, session.target, random);
    session.learn("owner", token ?? undefined);
    const status = /^[1-5]\d\d$/.test(ended) ? Number(ended) : 200;
    const received = { status, headers: {}, text: problem ?? "" };
    const isCertain = ended !== "1006" && status < 500;
    const sent = { surface: "sockets", method: "GET", sent: `a ${kind}`, from } as const;
    const attempt = attemptOf({ ...sent, ...received }, isCertain ? false : null);
    return { ...attempt, counted: [kind, ended] };
  },
};

export async function sendMalformed(
  surface: Surface,
  ...args: Parameters<SendOn>
): Promise<Attempt> {
  const from = Date.now();
  try {
    return await SURFACES[surface](...args);
  } catch (error) {
    if (!(error instanceof Hanging)) throw error;
    const received = { status: 0, headers: {}, text: error.message };
    const sent = `nothing came within ${DEADLINE_MS} ms`;
    return attemptOf({ surface: "HTTP", method: "GET", sent, from, ...received }, null);
  }
}

async function exchange(url: string, surface: Surface, sent: Sent): Promise<Attempt> {
  const from = Date.now();
  const received = await sendRequest(url, sent);
  return attemptOf({ surface, method: sent.method, sent: described(sent), from, ...received });
}

async function exchangeBytes(url: string, surface: Surface, bytes: Buffer): Promise<Attempt> {
  const from = Date.now();
  const received = await sendBytes(url, bytes);
  const sent = JSON.stringify(bytes.toString("latin1").slice(0, 600));
  return attemptOf({ surface, method: "GET", sent, from, ...received });
}

function attemptOf(
  answer: Omit<MalformedAnswer, "to">,
  isRefused: boolean | null = isRefusal(answer),
): Attempt {
  const { surface, status } = answer;
  const sent = `${answer.sent.replaceAll(/[rj]tok_[\w-]+/g, "<token>")} → ${status}`;
  const ended = status === 0 ? "closed" : String(status);
  return { answer: { ...answer, sent, to: Date.now() }, counted: [surface, ended], isRefused };
}

const isRefusal = ({ status }: Pick<Received, "status">): boolean | null =>
  status === 0 || status >= 500 ? null : status >= 400;

/** Learns the next token of the participant that wrote. */
function learn(session: ComparedSession, by: "owner" | "guest", answer: MalformedAnswer): void {
  if (answer.status === 0 || answer.status >= 300) return;
  const shown = /\\?"resume_?[tT]oken\\?":\\?"(rtok_[\w-]+)/.exec(answer.text)?.[1];
  session.learn(by, answer.headers["resume-token"] ?? shown);
}

const described = ({ method, path, headers, body }: Sent): string =>
  [
    `${method} ${path.slice(0, 200)}`,
    ...headers.map(([name, value]) => `${name}: ${value.slice(0, 100)}`),
    body.toString("utf8").slice(0, 600),
  ].join(" | ");
