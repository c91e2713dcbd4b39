/**
 * Transfers large content between client and bucket, named by its hash. Each attempt has its own key, so
 * that attempts cannot mix. The session stores the first complete one; the others are deleted.
 */
import { normalizeBlobName } from "../domain/files/blob";
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { diskFailure } from "./host";
import { type UnverifiedCredential, UseCases, type AsyncReply } from "./session-calls";
import { discard, parseLength, streamIn, type IncomingBody } from "./stream-in";
import { CUT_SHORT, type Download } from "./uploads";

type Bytes = ReadableStream<Uint8Array>;

interface BlobPutResult {
  readonly sha256: string;
  readonly size: number;
  /** False if the same bytes were stored already. */
  readonly isNew: boolean;
}

export class Blobs extends UseCases {
  async put(
    credential: UnverifiedCredential,
    name: string,
    { body, length: declaredLength }: IncomingBody,
  ): AsyncReply<BlobPutResult> {
    const sha256 = normalizeBlobName(name);
    const length = parseLength(declaredLength, LIMITS.blobBytes, "a blob, in bytes");
    const request = length.ok
      ? { sha256, length: length.value }
      : { sha256, length: 0, problem: length.error };
    const prepared = await this.calls.write(credential, "prepareBlob", request);
    if (!prepared.ok) return prepared;
    if (!length.ok) throw new Error("unreachable: the session was sent the problem");
    const failure = await diskFailure(this.env, length.value);
    if (failure !== null) return { ok: false, failure, sessionId: credential.sessionId };
    const key = `${credential.objectIdHex}/blobs/${sha256}/${crypto.randomUUID()}`;
    const isStored = prepared.value;
    // Bytes that are stored already are only verified: wrong bytes are an error the second time as well.
    const sink = isStored ? discard : (bytes: ReadableStream) => this.env.UPLOADS.put(key, bytes);
    const received = await streamIn(body, length.value, sink);
    if (received === null) {
      if (!isStored) await this.env.UPLOADS.delete(key);
      return { ok: false, failure: invalid(CUT_SHORT), sessionId: credential.sessionId };
    }
    const { size } = received;
    const message = { sha256, size, key, arrived: received.sha256 };
    const saved = await this.calls.write(credential, "saveBlob", message);
    const isNew = saved.ok && saved.value.key === key;
    // If it is unknown whether the session stored the key, the file stays; the purge deletes leftovers.
    const isUnknown = !saved.ok && saved.failure.code === "overloaded";
    if (!isStored && !isNew && !isUnknown) await this.env.UPLOADS.delete(key);
    return saved.ok ? { ok: true, value: { sha256, size, isNew } } : saved;
  }

  /** All blobs, in the order of their hashes. */
  async *all(
    credential: UnverifiedCredential,
  ): AsyncGenerator<{ readonly sha256: string; readonly size: number; readonly body: Bytes }> {
    for (let after = "", more = true; more; ) {
      const page = await this.calls.read(credential, "listBlobs", { after });
      if (!page.ok) throw new Error(`large content can no longer be read: ${page.failure.code}`);
      for (const { sha256, size, key } of page.value.blobs) {
        const object = await this.env.UPLOADS.get(key);
        if (object === null) throw new Error("large content is not where it was kept");
        yield { sha256, size, body: object.body };
        after = sha256;
      }
      ({ more } = page.value);
    }
  }

  async get(credential: UnverifiedCredential, name: string): AsyncReply<Download> {
    const { sessionId } = credential;
    const sha256 = normalizeBlobName(name);
    const reply = await this.calls.read(credential, "locateBlob", { sha256 });
    if (!reply.ok) return reply;
    const { size, key } = reply.value;
    const object = await this.env.UPLOADS.get(key);
    if (object === null) {
      return { ok: false, failure: { code: "not_found", what: "blob" }, sessionId };
    }
    const upload = { name: sha256, type: "application/octet-stream", size, sha256 };
    return { ok: true, value: { body: object.body, upload } };
  }
}
