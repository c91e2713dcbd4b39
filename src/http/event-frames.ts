/**
 * Events as server-sent events: `id`, `event` and `data` of each. Made on bytes, because a page of
 * thousands is copied faster than it is cut into texts and put together again.
 */
const encoder = new TextEncoder();
const ID = encoder.encode("id: ");
const EVENT = encoder.encode("\nevent: ");
const DATA = encoder.encode("\ndata: ");
const END = encoder.encode("\n\n");

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
/** An event's line begins with its number and its type: `{"seq":7,"type":"a.b"`. */
const SEQ_AT = '{"seq":'.length;
const TYPE_AFTER_SEQ = ',"type":"'.length;

/** Lines of events, as they are stored. */
export function frameEvents(lines: string): Uint8Array {
  const source = encoder.encode(lines);
  // What is added repeats a number and a type that stand in the line, beside much else: it is always
  // shorter than the line.
  const frames = new Uint8Array(2 * source.length);
  let at = 0;
  for (let from = 0, end = 0; from < source.length; from = end + 1) {
    end = endOf(source, from);
    const seqEnd = source.indexOf(COMMA, from + SEQ_AT);
    const type = seqEnd + TYPE_AFTER_SEQ;
    put(ID, 0, ID.length);
    put(source, from + SEQ_AT, seqEnd);
    put(EVENT, 0, EVENT.length);
    put(source, type, source.indexOf(QUOTE, type));
    put(DATA, 0, DATA.length);
    frames.set(source.subarray(from, end), at);
    at += end - from;
    put(END, 0, END.length);
  }
  return frames.subarray(0, at);

  /** For the few bytes of a name a loop is quicker than a call. */
  function put(bytes: Uint8Array, start: number, stop: number): void {
    for (let i = start; i < stop; i++) frames[at++] = bytes[i] ?? 0;
  }
}

function endOf(source: Uint8Array, from: number): number {
  const end = source.indexOf(LINE_FEED, from);
  return end === -1 ? source.length : end;
}
