/** Live events over plain HTTP: a stream of server-sent events, held in the Worker. */
import { invalid } from "../domain/failure";
import type { EventProjection } from "../domain/log/event-members";
import { ok, refuse, type Result } from "../domain/result";
import type { Follower } from "../gateway/follower";
import type { Step } from "../gateway/feed";
import type { GatewayRefusal } from "../gateway/gateway";
import { STREAM_HEADERS, streamSteps } from "../gateway/step-stream";
import { EVENT_STREAM } from "../protocol/media-types";
import { forEachEvent, type EventTexts } from "../domain/log/event-line";
import { partsOf } from "../gateway/utf8-pieces";

/**
 * Formats events as server-sent events: `id`, `event` and `data` of each. In parts, because building a
 * long text at once takes twice as long.
 */
export function* frameEvents(
  texts: EventTexts,
  projection: EventProjection | null = null,
): Generator<string> {
  for (const text of texts) for (const part of partsOf(text)) yield frame(part, projection);
}

function frame(lines: string, projection: EventProjection | null): string {
  let frames = "";
  forEachEvent(lines, (line, seq, type) => {
    frames += `id: ${seq}\nevent: ${type}\ndata: ${projection === null ? line : projection(line)}\n\n`;
  });
  return frames;
}

export const acceptsEventStream = (headers: Headers): boolean =>
  headers.get("Accept")?.includes(EVENT_STREAM) === true;

/** Last-Event-ID has precedence over `after`: a browser that reconnects repeats the old query. */
export function parseStart(headers: Headers, after: number | null): Result<number | null> {
  const header = headers.get("Last-Event-ID");
  if (header === null || header === "") return ok(after);
  return /^\d{1,15}$/.test(header)
    ? ok(Number(header))
    : refuse(invalid("Last-Event-ID must be the number of an event", "Last-Event-ID"));
}

export async function streamEvents(
  follower: Follower,
  isReconnect: boolean,
  projection: EventProjection | null,
): Promise<Response | GatewayRefusal> {
  const first = await follower.start();
  if (!first.ok) return first;
  if (isReconnect && first.value.ended && first.value.texts.length === 0 && !first.value.more) {
    follower.close();
    // Tells an EventSource not to reconnect.
    return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  }
  return new Response(
    streamSteps(follower, (step) => formatStep(step, projection)),
    { headers: STREAM_HEADERS },
  );
}

function formatStep(step: Step, projection: EventProjection | null): Iterable<string> {
  switch (step.kind) {
    case "events":
      return frameEvents(step.texts, projection);
    case "replayed":
      return [`id: ${step.head}\nevent: replay.done\ndata: {"head":${step.head}}\n\n`];
    case "end": {
      const data = JSON.stringify({ reason: step.reason, lastSeq: step.cursor });
      return [`event: end\ndata: ${data}\n\n`];
    }
    case "lost":
      return [];
  }
}
