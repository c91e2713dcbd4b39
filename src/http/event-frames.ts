/**
 * Events as server-sent events: `id`, `event` and `data` of each. Made on bytes, because a page of
 * thousands is copied faster than it is cut into texts and put together again.
 */
const encoder = new TextEncoder();

/** `id: `, `\nevent: ` and `\ndata: `, as words of four bytes. */
const ID = 0x69643a20;
const EVENT = [0x0a657665, 0x6e743a20] as const;
const DATA = [0x0a646174, 0x613a2000] as const;
const DATA_LENGTH = 7;

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
  const words = new DataView(frames.buffer);
  let at = 0;
  for (let from = 0, end = 0; from < source.length; from = end + 1) {
    const feed = source.indexOf(LINE_FEED, from);
    end = feed === -1 ? source.length : feed;
    words.setUint32(at, ID);
    at += 4;
    const seqEnd = putUntil(COMMA, from + SEQ_AT);
    words.setUint32(at, EVENT[0]);
    words.setUint32(at + 4, EVENT[1]);
    at += 8;
    putUntil(QUOTE, seqEnd + TYPE_AFTER_SEQ);
    words.setUint32(at, DATA[0]);
    words.setUint32(at + 4, DATA[1]);
    at += DATA_LENGTH;
    frames.set(source.subarray(from, end), at);
    at += end - from;
    frames[at++] = LINE_FEED;
    frames[at++] = LINE_FEED;
  }
  return frames.subarray(0, at);

  /** For the few bytes of a name a loop is quicker than a call. */
  function putUntil(stop: number, start: number): number {
    let i = start;
    for (let byte = source[i] ?? stop; byte !== stop; byte = source[++i] ?? stop) {
      frames[at++] = byte;
    }
    return i;
  }
}
