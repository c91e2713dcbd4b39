/**
 * Events as server-sent events: `id`, `event` and `data` of each. Cut out of the page by position,
 * because a page may hold thousands, and a part at a time, because putting a long text together in
 * one go takes twice as long.
 */
import type { EventTexts } from "../domain/log/event-line";
import type { Cut } from "../domain/log/members";
import { partsOf } from "../gateway/utf8-pieces";

/** An event's line begins with its number and its type: `{"seq":7,"type":"a.b"`. */
const SEQ_AT = '{"seq":'.length;
const TYPE_AFTER_SEQ = ',"type":"'.length;

export function* frameEvents(texts: EventTexts, cut: Cut | null = null): Generator<string> {
  for (const text of texts) for (const part of partsOf(text)) yield frame(part, cut);
}

function frame(lines: string, cut: Cut | null): string {
  let frames = "";
  for (let from = 0, end = 0; from < lines.length; from = end + 1) {
    const feed = lines.indexOf("\n", from);
    end = feed === -1 ? lines.length : feed;
    const seqEnd = lines.indexOf(",", from);
    const type = seqEnd + TYPE_AFTER_SEQ;
    const id = lines.slice(from + SEQ_AT, seqEnd);
    const name = lines.slice(type, lines.indexOf('"', type));
    const line = lines.slice(from, end);
    frames += `id: ${id}\nevent: ${name}\ndata: ${cut === null ? line : cut(line)}\n\n`;
  }
  return frames;
}
