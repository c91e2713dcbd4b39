/**
 * Events as they happen, over plain HTTP: a stream of server-sent events, or one answer that waits.
 * Both are held in the Worker; the next batch is taken only when the client has room for it.
 */
import { seqInLine, splitEvents } from "../domain/event-line";
import { invalid, type Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import type { Follower, Step } from "../gateway/follower";
import type { GatewayRefusal, GatewayReply } from "../gateway/gateway";
import type { PageContent } from "../object/messages";
import { EVENT_STREAM } from "../protocol/media";
import { frameEvents } from "./event-frames";

/** How soon a browser comes back after a break. */
const RETRY_MS = 1_000;
/** Shorter than the idle limit of the proxies in between. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = Symbol("keep-alive");

export const wantsEventStream = (headers: Headers): boolean =>
  headers.get("Accept")?.includes(EVENT_STREAM) === true;

/** Last-Event-ID wins over `after`: a browser that reconnects repeats the old query. */
export function startOf(headers: Headers, after: number | null): Result<number | null, Failure> {
  const header = headers.get("Last-Event-ID");
  if (header === null || header === "") return ok(after);
  return /^\d{1,15}$/.test(header)
    ? ok(Number(header))
    : refuse(invalid("Last-Event-ID must be the number of an event", "Last-Event-ID"));
}

export async function streamEvents(
  follower: Follower,
  isReconnect: boolean,
): Promise<Response | GatewayRefusal> {
  const first = await follower.start();
  if (!first.ok) return first;
  if (isReconnect && first.value.ended && first.value.lines === "" && !first.value.more) {
    follower.close();
    // Tells an EventSource that there is nothing to come back for.
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  }
  return new Response(eventStream(follower), {
    headers: {
      "Content-Type": `${EVENT_STREAM}; charset=utf-8`,
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

function eventStream(follower: Follower): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<Step> | null = null;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      },
      async pull(controller) {
        pending ??= follower.next();
        const step = await beforeKeepAlive(pending);
        if (step === KEEP_ALIVE) {
          controller.enqueue(encoder.encode(": keep-alive\n\n"));
          return;
        }
        pending = null;
        const bytes =
          step.kind === "events" ? frameEvents(step.text) : encoder.encode(describe(step));
        if (bytes.length > 0) controller.enqueue(bytes);
        if (step.kind === "end" || step.kind === "lost") controller.close();
      },
      cancel() {
        follower.close();
      },
    },
    { highWaterMark: 1 },
  );
}

async function beforeKeepAlive(pending: Promise<Step>): Promise<Step | typeof KEEP_ALIVE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof KEEP_ALIVE>((settle) => {
    timer = setTimeout(() => settle(KEEP_ALIVE), KEEP_ALIVE_MS);
  });
  const first = await Promise.race([pending, late]);
  clearTimeout(timer);
  return first;
}

function describe(step: Exclude<Step, { kind: "events" }>): string {
  switch (step.kind) {
    case "replayed":
      return `id: ${step.head}\nevent: replay.done\ndata: {"head":${step.head}}\n\n`;
    case "end":
      return `event: end\ndata: ${JSON.stringify({ reason: step.ending, lastSeq: step.cursor })}\n\n`;
    case "lost":
      return "";
  }
}

/** The next events, or an empty page when the time is up. */
export async function awaitEvents(
  follower: Follower,
  waitMs: number,
  limit: number,
): Promise<GatewayReply<PageContent>> {
  const first = await follower.start();
  if (!first.ok) return first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(() => settle(null), Math.min(waitMs, LIMITS.waitMs));
  });
  const lines = await Promise.race([nextLines(follower), late]);
  clearTimeout(timer);
  follower.close();
  const kept = (lines ?? []).slice(0, limit);
  const isCut = kept.length < (lines?.length ?? 0);
  const nextAfter = isCut ? seqInLine(kept.at(-1) ?? "") : follower.cursor;
  const head = Math.max(first.value.head, follower.cursor);
  return { ok: true, value: { lines: kept.join("\n"), head, nextAfter, more: nextAfter < head } };
}

/** Null when nothing will come. */
async function nextLines(follower: Follower): Promise<readonly string[] | null> {
  for (;;) {
    const step = await follower.next();
    if (step.kind === "events") return splitEvents(step.text);
    if (step.kind !== "replayed") return null;
  }
}
