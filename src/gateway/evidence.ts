/**
 * What somebody outside can keep and check: exports of the log, signed heads and receipts. The object
 * gives the text and its chain; signing is done here, so that no key comes near it.
 */
import { encodeBase64url } from "../domain/base64url";
import { numberOf } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { Env } from "../env";
import type { ChainEnd, ExportPart } from "../object/evidence-messages";
import type { Caller } from "./caller";
import { keysOf } from "./keyring";
import type { Presented } from "./presented";
import { publicUrlOf } from "./public-url";
import { SessionCalls, type GatewayReply } from "./session-calls";
import { proofIfSigning, proofOf, signed } from "./signing";
import { Uploads } from "./uploads";

/** Of a file in one line of an export, so that no line is long: a multiple of three, as base64 packs it. */
const FILE_PART_BYTES = 96 * 1024;

export class Evidence {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly #calls: SessionCalls;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
    this.#calls = new SessionCalls(env, caller);
  }

  /** A seq that was trimmed is proven by the next commit that is kept. */
  async proof(presented: Presented, seq: number | undefined): Promise<GatewayReply<JsonObject>> {
    const reply = await this.#calls.read(presented, "proof", { seq });
    if (!reply.ok) return reply;
    const { sessionId } = presented;
    const ring = keysOf(this.#env, "SIGNING_KEYS");
    if (!ring.ok) return { ok: false, failure: ring.error, sessionId };
    return { ok: true, value: await proofOf(ring.value, sessionId, reply.value, Date.now()) };
  }

  async receipt(presented: Presented): Promise<GatewayReply<JsonObject>> {
    const reply = await this.#calls.read(presented, "receipt", {});
    if (!reply.ok) return reply;
    const { sessionId } = presented;
    const ring = keysOf(this.#env, "SIGNING_KEYS");
    if (!ring.ok) return { ok: false, failure: ring.error, sessionId };
    const { receipt, end } = reply.value;
    const now = Date.now();
    const document = {
      sessionId,
      ...receipt,
      seq: end.seq,
      chain: end.chain,
      at: new Date(now).toISOString(),
      url: `${publicUrlOf(this.#env)}/sessions/${sessionId}/receipt`,
      keys: `${publicUrlOf(this.#env)}/.well-known/baton-keys.json`,
      proof: await proofOf(ring.value, sessionId, end, now),
    };
    return { ok: true, value: await signed(ring.value, document) };
  }

  /** Pieces of an export, each of whole lines. What is committed meanwhile belongs to the next export. */
  async export(
    presented: Presented,
    withFiles: boolean,
  ): Promise<GatewayReply<AsyncGenerator<string>>> {
    const first = await this.#calls.read(presented, "evidence", { after: 0 });
    if (!first.ok) return first;
    return { ok: true, value: this.#pieces(presented, first.value, withFiles) };
  }

  async *#pieces(
    presented: Presented,
    first: ExportPart,
    withFiles: boolean,
  ): AsyncGenerator<string> {
    const { end } = first;
    for (let part = first; ; ) {
      if (part.lines.length > 0) yield `${part.lines.join("\n")}\n`;
      if (!part.more) break;
      const range = { after: part.nextAfter, until: end.seq };
      const next = await this.#calls.read(presented, "evidence", range);
      // Revoked or expired in the middle: it breaks, so that a part is not taken for the whole.
      if (!next.ok) throw new Error(`the log can no longer be read: ${next.failure.code}`);
      part = next.value;
    }
    const proof = await proofIfSigning(this.#env, presented.sessionId, end);
    if (proof !== null) yield `${JSON.stringify({ proof })}\n`;
    if (withFiles) yield* this.#files(presented, end);
  }

  /** The document as a receipt, and each file that it names. */
  async *#files(presented: Presented, end: ChainEnd): AsyncGenerator<string> {
    const reply = await this.receipt(presented);
    if (!reply.ok) throw new Error(`the document can no longer be read: ${reply.failure.code}`);
    // Committed meanwhile: the receipt speaks of more than the log above.
    if (reply.value["seq"] !== end.seq) throw new Error("the session moved on during its export");
    yield `${JSON.stringify({ receipt: reply.value })}\n`;
    const uploads = new Uploads(this.#env, this.#caller);
    for (const { id, sha256 } of reply.value["files"] as readonly JsonObject[]) {
      const file = await uploads.get(presented, numberOf(String(id), "upl_") ?? 0);
      if (!file.ok) throw new Error(`a file can no longer be read: ${file.failure.code}`);
      yield `${JSON.stringify({ file: { id, sha256 } })}\n`;
      for await (const part of partsOf(file.value.body)) {
        yield `${JSON.stringify({ data: encodeBase64url(part) })}\n`;
      }
    }
  }
}

/** The bytes of a stream in parts of one size, but for the last. */
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
