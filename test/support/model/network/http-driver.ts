/**
 * Sessions over HTTP, MCP, WebSockets and pages, against whatever answers: the Worker inside the test runtime,
 * or a server process with or without faults. How a request travels and how stored rows are read is given.
 */
import type {
  Answer,
  DrivenSession,
  Driver,
  ModelRequest,
  NetworkServices,
  Snapshot,
  StoredState,
} from "../driver.ts";
import { sleep } from "../sleep.ts";
import { createBodyOf, type Fate, type SessionSettings } from "../plan.ts";
import {
  httpRequestOf,
  objectIdOf,
  readHttpAnswer,
  readToolAnswer,
  tokenParts,
  toolCallOf,
  type HttpRequest,
  type HttpResponse,
} from "./wire.ts";

export type Exchange = (request: HttpRequest, fate: Fate) => Promise<HttpResponse | null>;

export interface HttpDriverOptions {
  readonly name: "http" | "faults";
  readonly losesMessages: boolean;
  readonly exchange: Exchange;
  readonly stored: (objectId: string) => Promise<StoredState>;
  readonly snapshot?: (objectId: string) => Promise<Snapshot>;
  readonly clock: Driver["clock"];
  /** A run that is over creates no more sessions. */
  readonly isOver?: () => boolean;
  readonly createHeaders?: () => Readonly<Record<string, string>>;
  readonly createBody?: () => Readonly<Record<string, unknown>>;
  readonly appendBySocket?: (
    sessionId: string,
    request: ModelRequest,
    fate: Fate,
  ) => Promise<Answer | null>;
  readonly network?: NetworkServices;
}

const RETRY_MS = 50;

export class HttpDriver implements Driver {
  readonly name: "http" | "faults";
  readonly losesMessages: boolean;
  readonly tokenParts = tokenParts;
  readonly #options: HttpDriverOptions;

  constructor(options: HttpDriverOptions) {
    this.name = options.name;
    this.losesMessages = options.losesMessages;
    this.#options = options;
  }

  get network(): NetworkServices | undefined {
    return this.#options.network;
  }

  now(): number {
    return Date.now();
  }

  clock(invoked: number, responded: number): readonly [number, number] {
    return this.#options.clock(invoked, responded);
  }

  async create(settings: SessionSettings, tag: string): Promise<DrivenSession | null> {
    const { exchange, createHeaders, createBody, isOver = () => false } = this.#options;
    const request: HttpRequest = {
      method: "POST",
      path: "/sessions",
      headers: {
        "content-type": "application/json",
        "idempotency-key": `${tag}-create-key-of-this-run`,
        ...createHeaders?.(),
      },
      body: JSON.stringify({ ...createBodyOf(settings), ...createBody?.() }),
    };
    while (!isOver()) {
      const response = await exchange(request, "whole");
      const answer = response === null ? null : readHttpAnswer(response);
      if (answer?.code === null && answer.token !== null && response !== null) {
        const { id } = (JSON.parse(response.text) as { session: { id: string } }).session;
        return new HttpSession(this.#options, id, answer.token, answer);
      }
      // A session of short life may be over before its creator is told of it.
      if (answer !== null) return null;
      await sleep(RETRY_MS);
    }
    return null;
  }
}

class HttpSession implements DrivenSession {
  readonly snapshot?: () => Promise<Snapshot>;
  readonly id: string;
  readonly token: string;
  readonly created: Answer;
  readonly #options: HttpDriverOptions;

  constructor(options: HttpDriverOptions, id: string, token: string, created: Answer) {
    this.#options = options;
    this.id = id;
    this.token = token;
    this.created = created;
    const { snapshot } = options;
    if (snapshot !== undefined) this.snapshot = () => snapshot(objectIdOf(id));
  }

  async send(request: ModelRequest, fate: Fate): Promise<Answer | null> {
    const { exchange, appendBySocket } = this.#options;
    if (request.way === "socket") return (await appendBySocket?.(this.id, request, fate)) ?? null;
    const isTool = request.way === "mcp";
    const sent = isTool ? toolCallOf(request) : httpRequestOf(this.id, request);
    const response = await exchange(sent, fate);
    if (response === null) return null;
    return isTool ? readToolAnswer(response) : readHttpAnswer(response);
  }

  stored(): Promise<StoredState> {
    return this.#options.stored(objectIdOf(this.id));
  }
}
