/**
 * The lines after the log in a full export: files in parts, and the hash that the seal signs. The hash
 * covers each line as it is written, so that none can be changed, moved or omitted.
 */
import { bytesToHex, encodeBase64url, hexToBytes } from "../domain/base64url";
import type { JsonObject } from "../domain/json";

/** The bytes of a file per line, so that no line is long: a multiple of three, which base64 packs exactly. */
const FILE_PART_BYTES = 96 * 1024;

/** The hash and the counts of the sealed lines. The hash is computed like the chain. */
export class ExportSeal {
  #hash: Uint8Array;
  #files = 0;
  #blobs = 0;

  constructor(chain: string) {
    this.#hash = hexToBytes(chain);
  }

  /** Returns the line with its line feed. */
  async cover(line: string): Promise<string> {
    const lineHash = await sha256Of(new TextEncoder().encode(line));
    this.#hash = await sha256Of(Uint8Array.of(...this.#hash, ...lineHash));
    if (line.startsWith('{"file":')) this.#files += 1;
    if (line.startsWith('{"blob":')) this.#blobs += 1;
    return `${line}\n`;
  }

  statement(): JsonObject {
    return { files: this.#files, blobs: this.#blobs, sha256: bytesToHex(this.#hash) };
  }
}

const sha256Of = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));

/** Bytes as lines of an export. */
export async function* dataLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const part of partsOf(body)) yield JSON.stringify({ data: encodeBase64url(part) });
}

/** The bytes of a stream in parts of one size, except the last. */
async function* partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let part = new Uint8Array(FILE_PART_BYTES);
  let filled = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < chunk.length; ) {
      const some = chunk.subarray(at, at + FILE_PART_BYTES - filled);
      part.set(some, filled);
      filled += some.length;
      at += some.length;
      if (filled < FILE_PART_BYTES) continue;
      yield part;
      part = new Uint8Array(FILE_PART_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
