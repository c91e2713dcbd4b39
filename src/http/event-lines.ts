/**
 * Streams the log as JSON lines: the next page is read only when the client has received the last one,
 * and the object is not held open in between. The stream ends at the head of the first page; later
 * events belong to the next request.
 */
import { linesIn, seqInLine, type EventTexts } from "../domain/log/event-line";
import type { EventProjection } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import type { GatewayReply } from "../gateway/gateway";
import { Utf8Pieces } from "../gateway/utf8-pieces";
import type { EventPage } from "../object/messages";
import { NDJSON, NDJSON_TYPES } from "../protocol/media-types";

/** Reads the page after `after`; `remaining` is the number of events still to read. */
export type PageReader = (
  after: number | null,
  remaining: number,
  maxLength: number,
) => Promise<GatewayReply<EventPage>>;

export const lineTypeIn = (accept: string | null): string | null =>
  NDJSON_TYPES.find((type) => accept?.includes(type)) ?? null;

/** If the first page is refused, the refusal is returned before any line is sent. */
export async function streamLines(
  readPage: PageReader,
  after: number | null,
  limit: number,
  contentType: string = NDJSON,
  projection: EventProjection | null = null,
): Promise<Response | Extract<GatewayReply<EventPage>, { ok: false }>> {
  // Most logs fit into one page, which is then the response; of a longer one, less is held at a time.
  const first = await readPage(after, limit, LIMITS.replayBytes);
  if (!first.ok) return first;
  const until = first.value.head;
  const headers = {
    "Content-Type": contentType,
    "Cache-Control": "no-store",
    "Baton-Head": String(until),
  };
  if (!first.value.more)
    return new Response(encodeLines(first.value.texts, projection), { headers });
  let page: EventPage | null = first.value;
  let remaining = limit;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (page !== null) {
          const { texts, count, nextAfter, more } = page;
          const included = nextAfter <= until ? texts : upTo(texts, until);
          remaining -= count;
          page =
            more && remaining > 0 && nextAfter < until ? await next(nextAfter, remaining) : null;
          if (included.length > 0) {
            controller.enqueue(encodeLines(included, projection));
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
    // If access ends in the middle, the stream breaks, so that a part is not mistaken for the whole.
    if (!reply.ok) throw new Error(`the log can no longer be read: ${reply.failure.code}`);
    return reply.value;
  }
}

/** Drops the events of a page after the end of the stream. */
const upTo = (texts: EventTexts, until: number): EventTexts =>
  linesIn(texts).filter((line) => seqInLine(line) <= until);

function encodeLines(texts: EventTexts, projection: EventProjection | null): Uint8Array {
  const pieces = new Utf8Pieces();
  for (const text of texts) {
    pieces.add(projection === null ? text : projection(text));
    pieces.add("\n");
  }
  return pieces.encode();
}
