/** One connection that follows the log, over SSE or a WebSocket, both as the same steps. */
import type { LogEvent } from "../domain/log/event";
import { abortAfter, linkedController } from "./clock";
import type { Problem } from "./errors";
import type { TokenLine } from "./token-line";
import { queryOf } from "./query";
import { SseParser } from "./sse";

export type Step =
  | { readonly kind: "event"; readonly event: LogEvent }
  /** All events up to this seq were seen, whatever the filter removed. */
  | { readonly kind: "seen"; readonly seq: number; readonly isReplayed: boolean }
  | { readonly kind: "end"; readonly reason: string }
  | { readonly kind: "refused"; readonly problem: Problem };

interface StreamPosition {
  readonly token: string;
  /** Null: start at the server's cursor. */
  readonly after: number | null;
  readonly types: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Longer than three keep-alives of the server: after this the connection is dead even if it was not
 * closed.
 */
const SILENCE_MS = 50_000;

/** Ends silently if the connection breaks; throws only the signal's reason. */
export async function* sseSteps(
  tokenLine: TokenLine,
  position: StreamPosition,
): AsyncGenerator<Step> {
  const { fetch, clock, retry } = tokenLine.config;
  const { after, types } = position;
  const { controller, release } = linkedController(position.signal);
  const url = `${tokenLine.saved.url}/sessions/${tokenLine.ref}/events`;
  const query = queryOf({ after: after ?? undefined, type: types.join(",") });
  try {
    const cancelTimeout = abortAfter(retry.timeoutMs, clock, controller);
    const response = await fetch(url + query, {
      headers: {
        Accept: "text/event-stream",
        Authorization: `Bearer ${position.token}`,
        // Marks this as a reconnection, to which the server may answer that the session has ended.
        ...(after === null ? {} : { "Last-Event-ID": String(after) }),
      },
      redirect: "manual",
      signal: controller.signal,
    }).finally(cancelTimeout);
    if (response.status === 204) yield { kind: "end", reason: "ended" };
    else if (response.status !== 200 || response.body === null) yield* readProblem(response);
    else {
      const parser = new SseParser();
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        const { done, value } = await reader
          .read()
          .finally(abortAfter(SILENCE_MS, clock, controller));
        if (done) return;
        for (const { id, event, data } of parser.push(value)) yield stepOf(id, event, data);
      }
    }
  } catch {
    position.signal?.throwIfAborted();
  } finally {
    controller.abort(new Error("done"));
    release();
  }
}

function stepOf(id: string | null, event: string, data: string): Step {
  if (event === "end") return { kind: "end", reason: (JSON.parse(data) as EndData).reason };
  if (event === "replay.done") return { kind: "seen", seq: Number(id), isReplayed: true };
  return { kind: "event", event: JSON.parse(data) as LogEvent };
}

interface EndData {
  readonly reason: string;
}

async function* readProblem(response: Response): AsyncGenerator<Step> {
  const problem = (await response.json()) as Problem;
  if (typeof problem.code === "string") yield { kind: "refused", problem };
}

type SocketMessage =
  | { readonly type: "event"; readonly event: LogEvent }
  | { readonly type: "replay.done"; readonly head: number }
  | { readonly type: "end"; readonly reason: string }
  | { readonly type: "error"; readonly problem: Problem }
  | { readonly type: "welcome" | "pong" | "appended" };

/** The server limits unacknowledged events, so the client acknowledges regularly. */
const ACK_EVERY = 16;
const PING_MS = 20_000;

export async function* socketSteps(
  tokenLine: TokenLine,
  position: StreamPosition,
): AsyncGenerator<Step> {
  const { token, after, types, signal } = position;
  const url = `${tokenLine.saved.url.replace(/^http/, "ws")}/sessions/${tokenLine.ref}/socket`;
  const socket = new WebSocket(url, ["baton.v1"]);
  const received: SocketMessage[] = [];
  let wake: (() => void) | null = null;
  let isOpen = true;
  let hasReceived = false;
  const close = (): void => {
    isOpen = false;
    wake?.();
  };
  socket.addEventListener("open", () => {
    const hello = { type: "hello", token, ...(after === null ? {} : { after }) };
    socket.send(JSON.stringify(types.length === 0 ? hello : { ...hello, types }));
  });
  socket.addEventListener("message", ({ data }) => {
    hasReceived = true;
    received.push(JSON.parse(String(data)) as SocketMessage);
    wake?.();
  });
  socket.addEventListener("close", close);
  socket.addEventListener("error", close);
  signal?.addEventListener("abort", close, { once: true });
  const pingTimer = new AbortController();
  // The server responds to each ping, so silence since the last one means a dead connection.
  const ping = (): void => {
    if (!hasReceived) return close();
    hasReceived = false;
    socket.send(`{"type":"ping"}`);
  };
  void keepPinging(tokenLine, ping, pingTimer.signal);
  try {
    for (let count = 0; ; ) {
      signal?.throwIfAborted();
      const message = received.shift();
      if (message === undefined) {
        if (!isOpen) return;
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const step = stepOfMessage(message);
      if (step === null) continue;
      yield step;
      if (step.kind !== "event" || !isOpen) continue;
      count += 1;
      if (count % ACK_EVERY === 0) socket.send(`{"type":"ack","seq":${step.event.seq}}`);
    }
  } finally {
    pingTimer.abort(new Error("done"));
    signal?.removeEventListener("abort", close);
    socket.close(1000, "done");
  }
}

async function keepPinging(
  tokenLine: TokenLine,
  ping: () => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await tokenLine.config.clock.sleep(PING_MS, signal);
      ping();
    }
  } catch {
    // The connection has ended.
  }
}

function stepOfMessage(message: SocketMessage): Step | null {
  switch (message.type) {
    case "event":
      return { kind: "event", event: message.event };
    case "replay.done":
      return { kind: "seen", seq: message.head, isReplayed: true };
    case "end":
      return { kind: "end", reason: message.reason };
    case "error":
      return { kind: "refused", problem: message.problem };
    default:
      return null;
  }
}
