/**
 * Events as server-sent events: `id`, `event` and `data` of each. Cut out of the page by position,
 * because a page may hold thousands.
 */
const encoder = new TextEncoder();

/** An event's line begins with its number and its type: `{"seq":7,"type":"a.b"`. */
const SEQ_AT = '{"seq":'.length;
const TYPE_AFTER_SEQ = ',"type":"'.length;

/** Lines of events, as they are stored. */
export function frameEvents(lines: string): Uint8Array {
  const frames: string[] = [];
  for (let from = 0, end = 0; from < lines.length; from = end + 1) {
    const feed = lines.indexOf("\n", from);
    end = feed === -1 ? lines.length : feed;
    const seqEnd = lines.indexOf(",", from);
    const type = seqEnd + TYPE_AFTER_SEQ;
    const id = lines.slice(from + SEQ_AT, seqEnd);
    const name = lines.slice(type, lines.indexOf('"', type));
    frames.push(`id: ${id}\nevent: ${name}\ndata: ${lines.slice(from, end)}\n\n`);
  }
  return encoder.encode(frames.join(""));
}
