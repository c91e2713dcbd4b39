/**
 * Events as they happen, over plain HTTP: a stream of server-sent events, or one answer that waits.
 * Both are held in the Worker.
 */
import { seqInLine, linesIn } from "../domain/log/event-line";
import { invalid, type Failure } from "../domain/failure";
import type { Cut } from "../domain/log/members";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import type { Follower } from "../gateway/follower";
import type { Step } from "../gateway/feed";
import type { GatewayRefusal, GatewayReply } from "../gateway/gateway";
import { STREAM_HEADERS, streamSteps } from "../gateway/step-stream";
import type { PageContent } from "../object/messages";
import { EVENT_STREAM } from "../protocol/media";
import { frameEvents } from "./event-frames";

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
  cut: Cut | null,
): Promise<Response | GatewayRefusal> {
  const first = await follower.start();
  if (!first.ok) return first;
  if (isReconnect && first.value.ended && first.value.texts.length === 0 && !first.value.more) {
    follower.close();
    // Tells an EventSource that there is nothing to come back for.
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  }
  return new Response(
    streamSteps(follower, (step) => say(step, cut)),
    { headers: STREAM_HEADERS },
  );
}

function say(step: Step, cut: Cut | null): Iterable<string> {
  switch (step.kind) {
    case "events":
      return frameEvents(step.texts, cut);
    case "replayed":
      return [`id: ${step.head}\nevent: replay.done\ndata: {"head":${step.head}}\n\n`];
    case "end": {
      const data = JSON.stringify({ reason: step.ending, lastSeq: step.cursor });
      return [`event: end\ndata: ${data}\n\n`];
    }
    case "lost":
      return [];
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
  return { ok: true, value: { texts: kept, head, nextAfter, more: nextAfter < head } };
}

/** Null when nothing will come. */
async function nextLines(follower: Follower): Promise<readonly string[] | null> {
  for (;;) {
    const step = await follower.next();
    if (step.kind === "events") {
      if (follower.isAdmitted || (await follower.readmitted())) return linesIn(step.texts);
      return null;
    }
    if (step.kind !== "replayed") return null;
  }
}
