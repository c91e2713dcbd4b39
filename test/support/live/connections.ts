/**
 * The three ways to follow a log, each as one connection that returns events until it is dropped or
 * breaks. A connection knows its start position and nothing of earlier connections.
 */
import { TestSocket, type AnySocket } from "./test-socket.ts";
import { EventStream } from "./event-stream.ts";
import type { Random } from "./random.ts";

export interface SeenEvent {
  readonly seq: number;
  readonly type: string;
  readonly payload: { readonly id?: string };
}

export interface Connection {
  /** The next events, or null once the connection has ended. */
  next(): Promise<readonly SeenEvent[] | null>;
  drop(): void;
}

/** Throws `Unavailable` if it may be retried, and any other error if not. */
export type Open = (after: number) => Promise<Connection>;
export class Unavailable extends Error {}

export interface Access {
  readonly url: string;
  readonly sessionId: string;
  readonly token: string;
  send(request: Request): Promise<Response>;
  connect(url: string, token: string): Promise<AnySocket>;
}

export const TRANSPORTS = ["event stream", "socket", "long-poll"] as const;
export type Transport = (typeof TRANSPORTS)[number];

export function openerOf(transport: Transport, access: Access, random: Random): Open {
  switch (transport) {
    case "event stream":
      return (after) => openEventStream(access, random, after);
    case "socket":
      return (after) => openSocket(access, random, after);
    case "long-poll":
      return (after) => openPoll(access, random, after);
  }
}

async function openEventStream(access: Access, random: Random, after: number): Promise<Connection> {
  const isByHeader = random.chance(0.5);
  const request = new Request(eventsUrl(access, isByHeader ? "after=0" : `after=${after}`), {
    headers: {
      ...bearer(access),
      Accept: "text/event-stream",
      ...(isByHeader ? { "Last-Event-ID": String(after) } : {}),
    },
  });
  const stream = new EventStream(await sendOrThrow(access, request));
  return {
    async next() {
      const frames = await stream.nextBatch();
      return frames === null
        ? null
        : frames
            .filter(({ event }) => event !== "replay.done" && event !== "end")
            .map(({ data }) => JSON.parse(data ?? "") as SeenEvent);
    },
    drop: () => void stream.cancel(),
  };
}

async function openPoll(access: Access, random: Random, from: number): Promise<Connection> {
  const dropped = new AbortController();
  let after = from;
  return {
    async next() {
      const limit = random.between(1, 400);
      const waitMs = random.pick([0, 20, 500, 5_000]);
      const url = eventsUrl(access, `after=${after}&limit=${limit}&waitMs=${waitMs}`);
      const request = new Request(url, { headers: bearer(access), signal: dropped.signal });
      try {
        const response = await unlessAborted(dropped.signal, sendOrThrow(access, request));
        const page = (await unlessAborted(dropped.signal, response.json())) as {
          events: SeenEvent[];
          nextAfter: number;
        };
        after = page.nextAfter;
        return page.events;
      } catch (error) {
        if (error instanceof Refused) throw error;
        return null;
      }
    },
    drop: () => dropped.abort(),
  };
}

async function openSocket(access: Access, random: Random, after: number): Promise<Connection> {
  const url = `${access.url}/sessions/${access.sessionId}/socket`;
  const socket = new TestSocket(await access.connect(url, access.token));
  const acksEvery = random.pick([0, 1, 50]);
  const isPolite = random.chance(0.1);
  let unacknowledged = 0;
  socket.send({ type: "hello", after });
  return {
    async next() {
      const messages = await socket.receiveAll();
      if (messages === null) return null;
      const refused = messages.find(({ type }) => type === "error");
      if (refused !== undefined && refused.problem.retryable !== true) throw new Refused(refused);
      const events = messages
        .filter(({ type }) => type === "event")
        .map(({ event }) => event as SeenEvent);
      unacknowledged += events.length;
      const last = events.at(-1);
      if (last !== undefined && acksEvery > 0 && unacknowledged >= acksEvery) {
        socket.send({ type: "ack", seq: last.seq });
        unacknowledged = 0;
      }
      return events;
    },
    drop: () => (isPolite ? socket.close() : socket.terminate()),
  };
}

class Refused extends Error {
  constructor(answer: unknown) {
    super(`refused: ${JSON.stringify(answer)}`);
  }
}

const eventsUrl = ({ url, sessionId }: Access, query: string): string =>
  `${url}/sessions/${sessionId}/events?${query}`;

const bearer = ({ token }: Access): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  "Accept-Encoding": "identity",
});

async function sendOrThrow(access: Access, request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await access.send(request);
  } catch (error) {
    throw new Unavailable("no answer", { cause: error });
  }
  if (response.status === 200) return response;
  const text = await response.text().catch(() => "");
  if (response.status >= 500 || response.status === 429) throw new Unavailable(text);
  throw new Refused({ status: response.status, text });
}

const unlessAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(new Unavailable("dropped"));
      signal.addEventListener("abort", () => reject(new Unavailable("dropped")));
    }),
  ]);
