/**
 * The log as one JSON document a line, streamed: the next page is asked for only when the client has
 * taken the last one, and the object is not held open in between. It ends at the head of the first
 * page; what is appended meanwhile belongs to the next request.
 */
import { linesIn, seqInLine, type EventTexts } from "../domain/log/event-line";
import type { EventProjection } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import type { GatewayReply } from "../gateway/gateway";
import { Utf8Pieces } from "../gateway/utf8-pieces";
import type { EventPage } from "../object/messages";
import { NDJSON, NDJSON_TYPES } from "../protocol/media-types";

/** Reads the page after `after`; `wanted` is how many events are still to come. */
export type PageReader = (
  after: number | null,
  wanted: number,
  maxLength: number,
) => Promise<GatewayReply<EventPage>>;

export const lineTypeIn = (accept: string | null): string | null =>
  NDJSON_TYPES.find((type) => accept?.includes(type)) ?? null;

/** A first page that is refused is an ordinary refusal, before any line is sent. */
export async function streamLines(
  readPage: PageReader,
  after: number | null,
  limit: number,
  contentType: string = NDJSON,
  cut: EventProjection | null = null,
): Promise<Response | Extract<GatewayReply<EventPage>, { ok: false }>> {
  // Most logs fit one page, which is then the answer; of a longer one less is held at a time.
  const first = await readPage(after, limit, LIMITS.replayBytes);
  if (!first.ok) return first;
  const until = first.value.head;
  const headers = {
    "Content-Type": contentType,
    "Cache-Control": "no-store",
    "Baton-Head": String(until),
  };
  if (!first.value.more) return new Response(encodeLines(first.value.texts, cut), { headers });
  let page: EventPage | null = first.value;
  let wanted = limit;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (page !== null) {
          const { texts, count, nextAfter, more } = page;
          const kept = nextAfter <= until ? texts : upTo(texts, until);
          wanted -= count;
          page = more && wanted > 0 && nextAfter < until ? await next(nextAfter, wanted) : null;
          if (kept.length > 0) {
            controller.enqueue(encodeLines(kept, cut));
            break;
          }
        }
        if (page === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });

  async function next(from: number, count: number): Promise<EventPage> {
    const reply = await readPage(from, count, LIMITS.pageBytes);
    // Revoked or expired in the middle: the stream breaks, so that a part is not taken for the whole.
    if (!reply.ok) throw new Error(`the log can no longer be read: ${reply.failure.code}`);
    return reply.value;
  }
}

/** Of a page that reaches past the end, what does not. */
const upTo = (texts: EventTexts, until: number): EventTexts =>
  linesIn(texts).filter((line) => seqInLine(line) <= until);

function encodeLines(texts: EventTexts, cut: EventProjection | null): Uint8Array {
  const pieces = new Utf8Pieces();
  for (const text of texts) {
    pieces.add(cut === null ? text : cut(text));
    pieces.add("\n");
  }
  return pieces.encode();
}
