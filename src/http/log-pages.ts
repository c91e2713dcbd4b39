/** Pages of the log: as JSON or, depending on Accept, all following events as lines. */
import type { EventTexts } from "../domain/log/event-line";
import type { EventProjection } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import type { GatewayReply } from "../gateway/gateway";
import type { EventPage, EventPageContent } from "../object/messages";
import { partsOf, Utf8Pieces } from "../gateway/utf8-pieces";
import { answerText } from "./answers";
import { lineTypeIn, streamLines, type PageReader } from "./event-lines";
import { answerRefusal } from "./handler";

/** A pattern, because replacing a string by a string is slow in a long text. */
const LINE_FEEDS = /\n/g;

/** Adds events to a body as the JSON text that is stored. */
export function withEvents(
  body: string,
  texts: EventTexts,
  projection: EventProjection | null = null,
): Uint8Array {
  const pieces = new Utf8Pieces();
  let before = `${body.slice(0, -1)},"events":[`;
  for (const text of texts) {
    for (const part of partsOf(text)) {
      pieces.add(before);
      pieces.add((projection === null ? part : projection(part)).replace(LINE_FEEDS, ","));
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

/** A JSON page or, depending on Accept, all following events as lines. */
export async function answerPages(
  headers: Headers,
  read: ReadPage,
  after: number | null,
  limit: number | undefined,
  position: PositionMember,
  projection: EventProjection | null = null,
): Promise<Response> {
  const lineType = lineTypeIn(headers.get("Accept"));
  if (lineType !== null) {
    const readSome: PageReader = (from, limit, maxLength) => read(from, { limit, maxLength });
    const remaining = limit ?? Number.MAX_SAFE_INTEGER;
    const streamed = await streamLines(readSome, after, remaining, lineType, projection);
    return streamed instanceof Response ? streamed : answerRefusal(streamed);
  }
  // A single response is held only once, so it may be larger than a page of a stream.
  const size = { limit: limit ?? LIMITS.pageEventsDefault, maxLength: LIMITS.replayBytes };
  const reply = await read(after, size);
  return reply.ok ? answerPage(reply.value, position, projection) : answerRefusal(reply);
}

export function answerPage(
  page: EventPageContent,
  position: PositionMember,
  projection: EventProjection | null = null,
): Response {
  const { texts, head, more } = page;
  return answerText(
    200,
    withEvents(JSON.stringify({ head, ...position(page), more }), texts, projection),
  );
}
