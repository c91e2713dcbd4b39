/** One connection that follows the log, over SSE or a WebSocket, as the same steps. */
import type { LogEvent } from "../domain/log/event";
import { abortAfter, linkedController } from "./clock";
import type { Problem } from "./errors";
import type { TokenLine } from "./token-line";
import { queryOf } from "./query";
import { SseParser } from "./sse";

export type Step =
  | { readonly kind: "event"; readonly event: LogEvent }
  /** Everything up to here was seen, whatever the filter let through. */
  | { readonly kind: "seen"; readonly seq: number; readonly isReplayed: boolean }
  | { readonly kind: "end"; readonly reason: string }
  | { readonly kind: "refused"; readonly problem: Problem };

interface StreamPosition {
  readonly token: string;
  /** Null: where the server's cursor is. */
  readonly after: number | null;
  readonly types: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Longer than three of the server's keep-alives: the connection is dead though nobody said so. */
const SILENCE_MS = 50_000;

/** Ends without a word where the connection breaks; throws only what the signal says. */
export async function* sseSteps(tokenLine: TokenLine, place: StreamPosition): AsyncGenerator<Step> {
  const { fetch, clock, retry } = tokenLine.config;
  const { after, types } = place;
  const { controller, release } = linkedController(place.signal);
  const url = `${tokenLine.saved.url}/sessions/${tokenLine.ref}/events`;
  const query = queryOf({ after: after ?? undefined, type: types.join(",") });
  try {
    const opening = abortAfter(retry.timeoutMs, clock, controller);
    const response = await fetch(url + query, {
      headers: {
        Accept: "text/event-stream",
        Authorization: `Bearer ${place.token}`,
        // Tells the server that this is one who comes back, and may be told that it is over.
        ...(after === null ? {} : { "Last-Event-ID": String(after) }),
      },
      redirect: "manual",
      signal: controller.signal,
    }).finally(opening);
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
    place.signal?.throwIfAborted();
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

/** What is sent unacknowledged is bounded by the server; an ack for each event taken keeps it going. */
const ACK_EVERY = 16;
const PING_MS = 20_000;

export async function* socketSteps(
  tokenLine: TokenLine,
  place: StreamPosition,
): AsyncGenerator<Step> {
  const { token, after, types, signal } = place;
  const url = `${tokenLine.saved.url.replace(/^http/, "ws")}/sessions/${tokenLine.ref}/socket`;
  const socket = new WebSocket(url, ["baton.v1"]);
  const arrived: SocketMessage[] = [];
  let wake: (() => void) | null = null;
  let isOpen = true;
  let isHeard = false;
  const close = (): void => {
    isOpen = false;
    wake?.();
  };
  socket.addEventListener("open", () => {
    const hello = { type: "hello", token, ...(after === null ? {} : { after }) };
    socket.send(JSON.stringify(types.length === 0 ? hello : { ...hello, types }));
  });
  socket.addEventListener("message", ({ data }) => {
    isHeard = true;
    arrived.push(JSON.parse(String(data)) as SocketMessage);
    wake?.();
  });
  socket.addEventListener("close", close);
  socket.addEventListener("error", close);
  signal?.addEventListener("abort", close, { once: true });
  const pinging = new AbortController();
  // Each ping is answered, so silence since the last one means that the connection is dead.
  const ping = (): void => {
    if (!isHeard) return close();
    isHeard = false;
    socket.send(`{"type":"ping"}`);
  };
  void keepPinging(tokenLine, ping, pinging.signal);
  try {
    for (let taken = 0; ; ) {
      signal?.throwIfAborted();
      const message = arrived.shift();
      if (message === undefined) {
        if (!isOpen) return;
        await new Promise<void>((settle) => (wake = settle));
        continue;
      }
      const step = stepOfMessage(message);
      if (step === null) continue;
      yield step;
      if (step.kind !== "event" || !isOpen) continue;
      taken += 1;
      if (taken % ACK_EVERY === 0) socket.send(`{"type":"ack","seq":${step.event.seq}}`);
    }
  } finally {
    pinging.abort(new Error("done"));
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
    // The connection is over.
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
