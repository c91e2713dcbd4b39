/** Pages of the log as a face shows them: JSON, or by Accept all that follows as lines. */
import type { EventTexts } from "../domain/log/event-line";
import type { EventProjection } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import type { GatewayReply } from "../gateway/gateway";
import type { EventPage, EventPageContent } from "../object/messages";
import { partsOf, Utf8Pieces } from "../gateway/utf8-pieces";
import { answerText } from "./answers";
import { lineTypeIn, streamLines, type PageReader } from "./event-lines";
import { answerRefusal } from "./handler";

/** As a pattern, because replacing a text by a text piece by piece is slow in a long one. */
const LINE_FEEDS = /\n/g;

/** A body with events passed through as the text they are stored as. */
export function withEvents(
  body: string,
  texts: EventTexts,
  cut: EventProjection | null = null,
): Uint8Array {
  const pieces = new Utf8Pieces();
  let before = `${body.slice(0, -1)},"events":[`;
  for (const text of texts) {
    for (const part of partsOf(text)) {
      pieces.add(before);
      pieces.add((cut === null ? part : cut(part)).replace(LINE_FEEDS, ","));
      before = ",";
    }
  }
  if (texts.length === 0) pieces.add(before);
  pieces.add("]}");
  return pieces.encode();
}

export const nextAfterMember = ({ nextAfter }: Pick<EventPage, "nextAfter">) => ({ nextAfter });

interface PageSize {
  readonly limit: number;
  readonly maxLength?: number;
}
export type ReadPage = (after: number | null, size: PageSize) => Promise<GatewayReply<EventPage>>;
type PositionMember = (page: Pick<EventPage, "nextAfter">) => Record<string, number>;

/** A page of JSON, or by Accept all that follows as lines. */
export async function answerPages(
  headers: Headers,
  read: ReadPage,
  after: number | null,
  limit: number | undefined,
  place: PositionMember,
  cut: EventProjection | null = null,
): Promise<Response> {
  const lineType = lineTypeIn(headers.get("Accept"));
  if (lineType !== null) {
    const readSome: PageReader = (from, limit, maxLength) => read(from, { limit, maxLength });
    const wanted = limit ?? Number.MAX_SAFE_INTEGER;
    const streamed = await streamLines(readSome, after, wanted, lineType, cut);
    return streamed instanceof Response ? streamed : answerRefusal(streamed);
  }
  // One answer and then nothing more is held, so it may be larger than a page of a stream.
  const size = { limit: limit ?? LIMITS.pageEventsDefault, maxLength: LIMITS.replayBytes };
  const reply = await read(after, size);
  return reply.ok ? answerPage(reply.value, place, cut) : answerRefusal(reply);
}

export function answerPage(
  page: EventPageContent,
  place: PositionMember,
  cut: EventProjection | null = null,
): Response {
  const { texts, head, more } = page;
  return answerText(200, withEvents(JSON.stringify({ head, ...place(page), more }), texts, cut));
}
