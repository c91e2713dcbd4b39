/**
 * Events as server-sent events: `id`, `event` and `data` of each. A part at a time, because
 * putting a long text together in one go takes twice as long.
 */
import { eachEvent, type EventTexts } from "../domain/log/event-line";
import type { Cut } from "../domain/log/members";
import { partsOf } from "../gateway/utf8-pieces";

export function* frameEvents(texts: EventTexts, cut: Cut | null = null): Generator<string> {
  for (const text of texts) for (const part of partsOf(text)) yield frame(part, cut);
}

function frame(lines: string, cut: Cut | null): string {
  let frames = "";
  eachEvent(lines, (line, seq, type) => {
    frames += `id: ${seq}\nevent: ${type}\ndata: ${cut === null ? line : cut(line)}\n\n`;
  });
  return frames;
}
