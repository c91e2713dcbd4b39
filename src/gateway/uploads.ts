/**
 * Streams files between client and bucket: hashed and counted chunk by chunk, never held. Each attempt
 * has its own key, so that attempts cannot mix. After a put the session decides, and what it refuses is
 * deleted.
 */
import { invalid } from "../domain/failure";
import type { JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { diskFailure } from "./host";
import { type UnverifiedCredential, UseCases, type AsyncReply } from "./session-calls";
import { parseLength, streamIn, type ReceivedFile, type IncomingBody } from "./stream-in";

export interface Download {
  readonly body: ReadableStream<Uint8Array>;
  readonly upload: JsonObject;
}

export const CUT_SHORT = "the file did not arrive completely; send it again";

export class Uploads extends UseCases {
  async put(
    credential: UnverifiedCredential,
    upload: number,
    { body, length: declaredLength, type }: IncomingBody,
  ): AsyncReply<ReceivedFile> {
    const length = parseLength(declaredLength, LIMITS.uploadBytes, "a file, in bytes");
    const offer = length.ok
      ? { upload, length: length.value, type }
      : { upload, length: 0, type, problem: length.error };
    const offered = await this.calls.read(credential, "offerUpload", offer);
    if (!offered.ok) return offered;
    if (!length.ok) throw new Error("unreachable: the session was told what is wrong");
    const failure = await diskFailure(this.env, length.value);
    if (failure !== null) return { ok: false, failure, sessionId: credential.sessionId };
    const key = `${credential.objectIdHex}/${upload}/${crypto.randomUUID()}`;
    const file = await streamIn(body, length.value, (bytes) => this.env.UPLOADS.put(key, bytes));
    if (file === null) {
      await this.env.UPLOADS.delete(key);
      return { ok: false, failure: invalid(CUT_SHORT), sessionId: credential.sessionId };
    }
    const saved = await this.calls.write(credential, "saveUpload", { upload, key, ...file });
    // If it is unknown whether the session stored the key, the file stays; the purge deletes leftovers.
    if (saved.ok) await this.env.UPLOADS.delete(saved.value ?? []);
    else if (saved.failure.code !== "overloaded") await this.env.UPLOADS.delete(key);
    return saved.ok ? { ok: true, value: file } : saved;
  }

  async get(credential: UnverifiedCredential, upload: number): AsyncReply<Download> {
    const { sessionId } = credential;
    const reply = await this.calls.read(credential, "locateUpload", { number: upload });
    if (!reply.ok) return reply;
    const object = await this.env.UPLOADS.get(reply.value.key);
    if (object === null)
      return { ok: false, failure: { code: "not_found", what: "file" }, sessionId };
    return { ...reply, value: { body: object.body, upload: reply.value.upload } };
  }

  /** Called after the session removed it. It is safe to repeat; the purge deletes what is missed. */
  async deleteFile(key: unknown): Promise<void> {
    if (typeof key === "string") await this.env.UPLOADS.delete(key);
  }
}
