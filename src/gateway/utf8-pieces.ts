/**
 * Joins texts into one run of bytes. Long texts are joined and encoded in parts: one string of megabytes
 * would be copied twice, and read from memory again in between.
 */
const encoder = new TextEncoder();

/** The most bytes that a UTF-16 code unit needs in UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3;

/** In characters: small enough to stay in the processor's cache between the steps. */
const PART_LENGTH = 64 * 1024;

/** Splits into parts of whole lines; the line feed between two parts belongs to neither. */
export function* partsOf(lines: string): Generator<string> {
  if (lines.length <= PART_LENGTH) return yield lines;
  for (let at = 0, end = 0; at < lines.length; at = end + 1) {
    const feed = lines.indexOf("\n", at + PART_LENGTH);
    end = feed === -1 ? lines.length : feed;
    yield lines.slice(at, end);
  }
}

export class Utf8Pieces {
  readonly #parts: string[] = [];
  #length = 0;

  /** In characters. */
  get length(): number {
    return this.#length;
  }

  add(part: string): void {
    if (part === "") return;
    this.#parts.push(part);
    this.#length += part.length;
  }

  encode(): Uint8Array {
    if (this.#length <= PART_LENGTH) return encoder.encode(this.#parts.join(""));
    let bytes = new Uint8Array(this.#length);
    let at = 0;
    let left = this.#length;
    for (const part of this.#parts) {
      const { read, written } = encoder.encodeInto(part, bytes.subarray(at));
      at += written;
      left -= read;
      if (read < part.length) {
        // Most text is ASCII. If not, the buffer grows to the most that the rest can need.
        bytes = enlarge(bytes, at, at + left * MAX_BYTES_PER_CHARACTER);
        at += encoder.encodeInto(part.slice(read), bytes.subarray(at)).written;
        left -= part.length - read;
      }
    }
    return bytes.subarray(0, at);
  }
}

function enlarge(bytes: Uint8Array, used: number, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes.subarray(0, used));
  return larger;
}
