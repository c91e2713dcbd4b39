/**
 * Streams bytes from a client into the bucket: counted and hashed chunk by chunk, never held. The bucket
 * accepts no stream of unknown length, so the length is required before the first byte.
 */
import { bytesToHex } from "../domain/base64url";
import { invalid } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";

export interface IncomingBody {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly length: string | null;
  readonly type: string | null;
}

export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
}

/** Receives the bytes: a bucket, or `discard` if they are stored already and only verified. */
type Sink = (bytes: ReadableStream<Uint8Array>) => Promise<unknown>;

/** Null if the stream broke, had another length than declared, or was rejected by its sink. */
export async function streamIn(
  body: ReadableStream<Uint8Array> | null,
  length: number,
  sink: Sink,
): Promise<ReceivedFile | null> {
  const hash = new crypto.DigestStream("SHA-256");
  const hashing = hash.getWriter();
  let size = 0;
  const measured = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await hashing.write(chunk);
      size += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  const exact = new FixedLengthStream(length);
  const source = body ?? new Blob([]).stream();
  try {
    const piped = source.pipeThrough(measured).pipeTo(exact.writable);
    // Both fail together if the stream breaks; neither may be left unawaited.
    const [put, pipe] = await Promise.allSettled([sink(exact.readable), piped]);
    if (put.status === "rejected" || pipe.status === "rejected") {
      hash.digest.catch(() => {});
      await hashing.abort();
      return null;
    }
  } catch {
    return null;
  }
  await hashing.close();
  return { size, sha256: bytesToHex(new Uint8Array(await hash.digest)) };
}

/** Reads everything and stores nothing. */
export const discard: Sink = (bytes) => bytes.pipeTo(new WritableStream());

export function parseLength(header: string | null, limit: number, what: string): Result<number> {
  if (header === null) return refuse({ code: "length_required" });
  const length = /^\d{1,15}$/.test(header) ? Number(header) : -1;
  if (length < 0) return refuse(invalid("Content-Length must be a whole number", "Content-Length"));
  return length > limit ? refuse({ code: "too_large", what, limit }) : ok(length);
}
