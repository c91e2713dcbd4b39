/**
 * A file's bytes, streamed between client and bucket: hashed and counted chunk by chunk on the way,
 * never held. Each attempt has a key of its own, so that two of them cannot mix; after a put the
 * session is asked, and what it refuses is deleted.
 */
import { bytesToHex } from "../domain/base64url";
import { invalid, type Failure } from "../domain/failure";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { Caller } from "./caller";
import type { Presented } from "./presented";
import { SessionCalls, type GatewayReply } from "./session-calls";

export interface Download {
  readonly body: ReadableStream<Uint8Array>;
  readonly upload: JsonObject;
}

export interface Incoming {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly length: string | null;
  readonly type: string | null;
}

const CUT_SHORT = "the file did not arrive whole; send it again";

export class Uploads {
  readonly #bucket: Env["UPLOADS"];
  readonly #calls: SessionCalls;

  constructor(env: Env, caller: Caller) {
    this.#bucket = env.UPLOADS;
    this.#calls = new SessionCalls(env, caller);
  }

  async put(
    presented: Presented,
    upload: number,
    { body, length: given, type }: Incoming,
  ): Promise<GatewayReply<{ readonly size: number; readonly sha256: string }>> {
    const length = lengthOf(given);
    const offer = length.ok
      ? { upload, length: length.value, type }
      : { upload, length: 0, type, problem: length.error };
    const offered = await this.#calls.read(presented, "offerUpload", offer);
    if (!offered.ok) return offered;
    if (!length.ok) throw new Error("unreachable: the session was told what is wrong");
    const key = `${presented.objectIdHex}/${upload}/${crypto.randomUUID()}`;
    const file = await this.#stream(key, body, length.value);
    if (file === null) {
      return { ok: false, failure: invalid(CUT_SHORT), sessionId: presented.sessionId };
    }
    const kept = await this.#calls.write(presented, "keepStored", { upload, key, ...file });
    // Where it is not known whether it was kept, it stays: what is left over goes with the purge.
    if (kept.ok) await this.#bucket.delete(kept.value ?? []);
    else if (kept.failure.code !== "overloaded") await this.#bucket.delete(key);
    return kept.ok ? { ok: true, value: file } : kept;
  }

  /** Null where the stream broke or was not as long as it said: then nothing was stored. */
  async #stream(
    key: string,
    body: ReadableStream<Uint8Array> | null,
    length: number,
  ): Promise<{ readonly size: number; readonly sha256: string } | null> {
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
      // Both fail together where the stream breaks; neither may be left unawaited.
      const [put, pipe] = await Promise.allSettled([this.#bucket.put(key, exact.readable), piped]);
      if (put.status === "rejected" || pipe.status === "rejected") {
        hash.digest.catch(() => {});
        await hashing.abort();
        await this.#bucket.delete(key);
        return null;
      }
    } catch {
      return null;
    }
    await hashing.close();
    return { size, sha256: bytesToHex(new Uint8Array(await hash.digest)) };
  }

  async get(presented: Presented, upload: number): Promise<GatewayReply<Download>> {
    const { sessionId } = presented;
    const reply = await this.#calls.read(presented, "locateUpload", { number: upload });
    if (!reply.ok) return reply;
    const object = await this.#bucket.get(reply.value.key);
    if (object === null)
      return { ok: false, failure: { code: "not_found", what: "file" }, sessionId };
    return { ok: true, value: { body: object.body, upload: reply.value.upload } };
  }

  /** After the session forgot it. Repeating is harmless; what is missed goes with the purge. */
  async forget(key: unknown): Promise<void> {
    if (typeof key === "string") await this.#bucket.delete(key);
  }
}

/** The length is needed before the first byte: the bucket takes no stream of unknown length. */
function lengthOf(given: string | null): Result<number, Failure> {
  if (given === null) return refuse({ code: "length_required" });
  const length = /^\d{1,15}$/.test(given) ? Number(given) : -1;
  if (length < 0) return refuse(invalid("Content-Length must be a whole number", "Content-Length"));
  return length > LIMITS.uploadBytes
    ? refuse({ code: "too_large", what: "a file, in bytes", limit: LIMITS.uploadBytes })
    : ok(length);
}
