/**
 * Sessions over HTTP, MCP and WebSockets, against whatever answers: the Worker inside the test runtime, or a
 * server process with faults. The options say how a request travels and how stored rows are read.
 */
import type {
  Answer,
  DrivenSession,
  Driver,
  ModelRequest,
  Snapshot,
  StoredState,
} from "../driver.ts";
import { createBodyOf, type Fate, type SessionSettings } from "../plan.ts";
import { sleep } from "../sleep.ts";
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

export interface HttpDriverOptions extends Pick<Driver, "losesMessages" | "clock" | "network"> {
  readonly exchange: Exchange;
  readonly stored: (objectId: string) => Promise<StoredState>;
  readonly snapshot?: ((objectId: string) => Promise<Snapshot>) | undefined;
  /** A run that has ended creates no more sessions. */
  readonly isOver?: () => boolean;
  readonly createHeaders?: (() => Readonly<Record<string, string>>) | undefined;
  readonly createBody?: (() => Readonly<Record<string, unknown>>) | undefined;
  readonly appendBySocket?: (
    sessionId: string,
    request: ModelRequest,
    fate: Fate,
  ) => Promise<Answer | null>;
}

const RETRY_MS = 50;

export const httpDriver = (options: HttpDriverOptions): Driver => ({
  losesMessages: options.losesMessages,
  network: options.network,
  clock: options.clock,
  tokenParts,
  now: () => Date.now(),
  create: (settings, tag) => createSession(options, settings, tag),
});

async function createSession(
  options: HttpDriverOptions,
  settings: SessionSettings,
  tag: string,
): Promise<DrivenSession | null> {
  const { exchange, createHeaders, createBody, isOver = () => false } = options;
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
    const created = response === null ? null : readHttpAnswer(response);
    if (created?.code === null && created.token !== null && response !== null) {
      const { id } = (JSON.parse(response.text) as { session: { id: string } }).session;
      return sessionOn(options, id, created.token, created);
    }
    // A short life may end before its creator gets an answer.
    if (created !== null) return null;
    await sleep(RETRY_MS);
  }
  return null;
}

function sessionOn(
  { exchange, appendBySocket, stored, snapshot }: HttpDriverOptions,
  id: string,
  token: string,
  created: Answer,
): DrivenSession {
  const object = objectIdOf(id);
  return {
    id,
    token,
    created,
    stored: () => stored(object),
    ...(snapshot === undefined ? {} : { snapshot: () => snapshot(object) }),
    async send(request, fate) {
      if (request.way === "socket") return (await appendBySocket?.(id, request, fate)) ?? null;
      const isTool = request.way === "mcp";
      const sent = isTool ? toolCallOf(request) : httpRequestOf(id, request);
      const response = await exchange(sent, fate);
      if (response === null) return null;
      return isTool ? readToolAnswer(response) : readHttpAnswer(response);
    },
  };
}
