/**
 * A file's bytes, streamed between client and bucket: hashed and counted chunk by chunk on the way,
 * never held. Each attempt has a key of its own, so that two of them cannot mix; after a put the
 * session is asked, and what it refuses is deleted.
 */
import { bytesToHex } from "../domain/base64url";
import { invalid, type Failure } from "../domain/failure";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { Env } from "../env";
import type { Reply, SessionPort } from "../object/messages";
import type { Caller } from "./caller";
import type { GatewayReply } from "./gateway";
import { counted, Guard } from "./guard";
import type { Presented } from "./presented";

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
  readonly #env: Env;
  readonly #guard: Guard;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#guard = new Guard(env, caller);
  }

  async put(
    presented: Presented,
    upload: number,
    { body, length: given, type }: Incoming,
  ): Promise<GatewayReply<{ readonly size: number; readonly sha256: string }>> {
    const session = this.#session(presented);
    const { credential, sessionId } = presented;
    const known = <T>(reply: Reply<T>) => this.#known(presented, reply);
    const length = lengthOf(given);
    if (typeof length !== "number") {
      const reply = await known(await session.get(credential));
      return reply.ok ? { ok: false, failure: length, sessionId } : reply;
    }
    const offered = await known(await session.offerUpload({ credential, upload, length, type }));
    if (!offered.ok) return offered;
    const key = `${presented.objectIdHex}/${upload}/${crypto.randomUUID()}`;
    const file = await this.#stream(key, body, length);
    if (file === null) return { ok: false, failure: invalid(CUT_SHORT), sessionId };
    const kept = await known(await session.keepStored({ credential, upload, key, ...file }));
    await this.#env.UPLOADS.delete(kept.ok ? (kept.value ?? []) : key);
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
      const [put, pipe] = await Promise.allSettled([
        this.#env.UPLOADS.put(key, exact.readable),
        piped,
      ]);
      if (put.status === "rejected" || pipe.status === "rejected") {
        hash.digest.catch(() => {});
        await hashing.abort();
        await this.#env.UPLOADS.delete(key);
        return null;
      }
    } catch {
      return null;
    }
    await hashing.close();
    return { size, sha256: bytesToHex(new Uint8Array(await hash.digest)) };
  }

  async get(presented: Presented, upload: number): Promise<GatewayReply<Download>> {
    const { credential, sessionId } = presented;
    const reply = await this.#session(presented).locateUpload(credential, upload);
    if (!reply.ok) return this.#known(presented, reply);
    const object = await this.#env.UPLOADS.get(reply.value.key);
    if (object === null)
      return { ok: false, failure: { code: "not_found", what: "file" }, sessionId };
    return { ok: true, value: { body: object.body, upload: reply.value.upload } };
  }

  /** After the session forgot it. Repeating is harmless; what is missed goes with the purge. */
  async forget(key: unknown): Promise<void> {
    if (typeof key === "string") await this.#env.UPLOADS.delete(key);
  }

  async #known<T>(
    { objectIdHex, sessionId }: Presented,
    reply: Reply<T>,
  ): Promise<GatewayReply<T>> {
    if (reply.ok) return reply;
    if (reply.failure.code !== "token_invalid") return { ...reply, sessionId };
    return counted(this.#guard, objectIdHex, reply);
  }

  #session({ objectId }: Presented): SessionPort {
    return this.#env.SESSION.get(objectId) as unknown as SessionPort;
  }
}

/** The length is needed before the first byte: the bucket takes no stream of unknown length. */
function lengthOf(given: string | null): number | Failure {
  if (given === null) return { code: "length_required" };
  const length = /^\d{1,15}$/.test(given) ? Number(given) : -1;
  if (length < 0) return invalid("Content-Length must be a whole number", "Content-Length");
  return length > LIMITS.uploadBytes
    ? { code: "too_large", what: "a file, in bytes", limit: LIMITS.uploadBytes }
    : length;
}
