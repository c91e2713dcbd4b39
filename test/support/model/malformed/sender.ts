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
import { DEADLINE_MS, Hanging, Transport, type Received, type Sent } from "./transport.ts";

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

export class MalformedSender {
  readonly #described: Described;
  readonly #transport: Transport;

  constructor(described: Described) {
    this.#described = described;
    this.#transport = new Transport(described.url);
  }

  close(): void {
    this.#transport.close();
  }

  async send(surface: Surface, session: ComparedSession, random: Random): Promise<Attempt> {
    const from = Date.now();
    try {
      return await this.#send(surface, session, random);
    } catch (error) {
      if (!(error instanceof Hanging)) throw error;
      const received = { status: 0, headers: {}, text: error.message };
      const sent = `nothing came within ${DEADLINE_MS} ms`;
      return attemptOf({ surface: "HTTP", method: "GET", sent, from, ...received }, null);
    }
  }

  #send(surface: Surface, session: ComparedSession, random: Random): Promise<Attempt> {
    switch (surface) {
      case "HTTP":
        return this.#http(session, random);
      case "MCP":
        return this.#mcp(session, random);
      case "pages":
        return this.#exchange(surface, pageRequest(session.target, random));
      case "HTTP bytes":
        return this.#raw(session, random);
      case "forged headers":
        return this.#forged(random);
      case "sockets":
        return this.#converse(session, random);
    }
  }

  async #http(session: ComparedSession, random: Random): Promise<Attempt> {
    const { operations, api } = this.#described;
    const drawn = random.pick(operations);
    // What ends a session is tried, but not so often that nothing else is.
    const isFatal = /purge|cancel$|finalize|reject$/.test(drawn.id) && random.chance(0.7);
    const operation = isFatal ? random.pick(operations) : drawn;
    const { sent, by } = httpRequest(operation, session.target, api, random);
    const attempt = await this.#exchange("HTTP", sent);
    if (by !== null) learn(session, by, attempt.answer);
    const isRead = ["GET", "HEAD", "OPTIONS"].includes(sent.method);
    return { ...attempt, operation: operation.id, ...(isRead ? { isRefused: true } : {}) };
  }

  async #mcp(session: ComparedSession, random: Random): Promise<Attempt> {
    const sent = mcpRequest(this.#described.tools, session.target, random);
    const tool = /"name":"(\w+)"/.exec(sent.body.toString("utf8"))?.[1];
    const attempt = await this.#exchange("MCP", sent);
    learn(session, "owner", attempt.answer);
    const isRefused = attempt.isRefused === false ? isToolRefusal(attempt.answer.text) : null;
    return { ...attempt, tool, isRefused: isRefused ?? attempt.isRefused };
  }

  async #raw(session: ComparedSession, random: Random): Promise<Attempt> {
    const attempt = await this.#bytes("HTTP bytes", rawRequest(session.target, random));
    learn(session, "owner", attempt.answer);
    // None of them is whole, so that one without an answer did nothing.
    return attempt.answer.status === 0 ? { ...attempt, isRefused: true } : attempt;
  }

  async #forged(random: Random): Promise<Attempt> {
    const { bytes, isBound } = forgedRequest(this.#described.bound, random);
    const { answer, counted } = await this.#bytes("forged headers", bytes);
    return { answer: { ...answer, isBound }, counted, isRefused: true };
  }

  async #converse(session: ComparedSession, random: Random): Promise<Attempt> {
    const from = Date.now();
    const kind = random.pick(["WebSocket", "ARCP"] as const);
    const { url } = this.#described;
    const { ended, problem, token } = await converse(url, kind, session.target, random);
    session.learn("owner", token ?? undefined);
    const status = /^[1-5]\d\d$/.test(ended) ? Number(ended) : 200;
    const received = { status, headers: {}, text: problem ?? "" };
    const isCertain = ended !== "1006" && status < 500;
    const answer = {
      surface: "sockets",
      method: "GET",
      sent: `a ${kind}`,
      from,
      ...received,
    } as const;
    return { ...attemptOf(answer, isCertain ? false : null), counted: [kind, ended] };
  }

  async #exchange(surface: Surface, sent: Sent): Promise<Attempt> {
    const from = Date.now();
    const received = await this.#transport.exchange(sent);
    return attemptOf({ surface, method: sent.method, sent: described(sent), from, ...received });
  }

  async #bytes(surface: Surface, bytes: Buffer): Promise<Attempt> {
    const from = Date.now();
    const received = await this.#transport.raw(bytes);
    const sent = JSON.stringify(bytes.toString("latin1").slice(0, 600));
    return attemptOf({ surface, method: "GET", sent, from, ...received });
  }
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

/** The next token of whoever wrote. */
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
