/**
 * Evidence that others can keep and verify: exports of the log, signed heads and receipts. The object
 * returns the text and its chain. Signing is done here, so that no key reaches an object.
 */
import { numberOf } from "../domain/ids";
import type { JsonObject } from "../domain/json";
import type { ExportPart, ReceiptContent } from "../object/evidence-messages";
import { Blobs } from "./blobs";
import { keyringOf, type Keyring } from "./keyring";
import {
  type UnverifiedCredential,
  UseCases,
  type AsyncReply,
  type GatewayReply,
} from "./session-calls";
import { publicUrlOf } from "./public-url";
import { dataLines, ExportSeal } from "./sealed-lines";
import { proofIfSigning, proofOf, signDocument } from "./signing";
import { Uploads } from "./uploads";

export class Evidence extends UseCases {
  /** A trimmed seq is proven by the next commit that is retained. */
  async proof(credential: UnverifiedCredential, seq: number | undefined): AsyncReply<JsonObject> {
    return this.#sign(
      credential,
      await this.calls.read(credential, "proof", { seq }),
      (keyring, end) => proofOf(keyring, credential.sessionId, end, Date.now()),
    );
  }

  async receipt(credential: UnverifiedCredential): AsyncReply<JsonObject> {
    const reply = await this.calls.read(credential, "receipt", {});
    return this.#sign(credential, reply, (keyring, content) =>
      this.#signReceipt(keyring, credential.sessionId, content),
    );
  }

  async #sign<T>(
    { sessionId }: UnverifiedCredential,
    reply: GatewayReply<T>,
    sign: (keyring: Keyring, value: T) => Promise<JsonObject>,
  ): AsyncReply<JsonObject> {
    if (!reply.ok) return reply;
    const keyring = keyringOf(this.env, "SIGNING_KEYS");
    if (!keyring.ok) return { ok: false, failure: keyring.error, sessionId };
    return { ok: true, value: await sign(keyring.value, reply.value) };
  }

  async #signReceipt(keyring: Keyring, sessionId: string, { receipt, end }: ReceiptContent) {
    const now = Date.now();
    return signDocument(keyring, {
      sessionId,
      ...receipt,
      seq: end.seq,
      chain: end.chain,
      at: new Date(now).toISOString(),
      url: `${publicUrlOf(this.env)}/sessions/${sessionId}/receipt`,
      keys: `${publicUrlOf(this.env)}/.well-known/baton-keys.json`,
      proof: await proofOf(keyring, sessionId, end, now),
    });
  }

  /** The pieces of an export, each of whole lines. Later commits belong to the next export. */
  async export(
    credential: UnverifiedCredential,
    isWhole: boolean,
  ): AsyncReply<AsyncGenerator<string>> {
    // The receipt is read first: the log is then read up to its seq, however much is appended meanwhile.
    const document = isWhole ? await this.calls.read(credential, "receipt", {}) : null;
    if (document?.ok === false) return document;
    const content = document?.value ?? null;
    const range = { after: 0, ...(content === null ? {} : { until: content.end.seq }) };
    const first = await this.calls.read(credential, "evidence", range);
    if (!first.ok) return first;
    const isTrimmed = content !== null && content.floor !== first.value.floor;
    // The removed commits would be missing, and the event of their trim is after the end of this export.
    if (isTrimmed) return this.export(credential, isWhole);
    return { ok: true, value: this.#pieces(credential, first.value, content) };
  }

  async *#pieces(
    credential: UnverifiedCredential,
    first: ExportPart,
    content: ReceiptContent | null,
  ): AsyncGenerator<string> {
    const { end } = first;
    for (let part = first; ; ) {
      if (part.lines.length > 0) yield `${part.lines.join("\n")}\n`;
      if (!part.more) break;
      const range = { after: part.nextAfter, until: end.seq };
      const next = await this.calls.read(credential, "evidence", range);
      // If access ends in the middle, the stream breaks, so that a part is not mistaken for the whole.
      if (!next.ok) throw new Error(`the log can no longer be read: ${next.failure.code}`);
      // The stream breaks also if a trim removed commits that were not sent yet: no verifier would accept it.
      const isTrimmed = next.value.floor > first.floor && next.value.floor > range.after;
      if (isTrimmed) throw new Error("the log was trimmed while it was exported");
      part = next.value;
    }
    const proof = await proofIfSigning(this.env, credential.sessionId, end);
    const proofLine = proof === null ? [] : [JSON.stringify({ proof })];
    if (content === null) yield* proofLine.map((line) => `${line}\n`);
    else yield* this.#sealedLines(credential, content, proofLine);
  }

  /** The lines after the log, and a seal over all of them, so that none can be omitted. */
  async *#sealedLines(
    credential: UnverifiedCredential,
    content: ReceiptContent,
    proofLine: readonly string[],
  ): AsyncGenerator<string> {
    const { sessionId } = credential;
    const { end } = content;
    const keyring = keyringOf(this.env, "SIGNING_KEYS");
    const seal = new ExportSeal(end.chain);
    for (const line of proofLine) yield await seal.cover(line);
    if (keyring.ok) {
      const receipt = await this.#signReceipt(keyring.value, sessionId, content);
      yield await seal.cover(JSON.stringify({ receipt }));
    }
    const files = content.receipt["files"] as readonly JsonObject[];
    for await (const line of this.#contents(credential, files)) yield await seal.cover(line);
    const at = new Date().toISOString();
    const statement = { sessionId, seq: end.seq, chain: end.chain, ...seal.statement(), at };
    yield `${JSON.stringify({ seal: keyring.ok ? await signDocument(keyring.value, statement) : statement })}\n`;
  }

  async *#contents(
    credential: UnverifiedCredential,
    files: readonly JsonObject[],
  ): AsyncGenerator<string> {
    const uploads = new Uploads(this.env, this.caller);
    for (const { id, sha256 } of files) {
      const file = await uploads.get(credential, numberOf(String(id), "upl_") ?? 0);
      if (!file.ok) throw new Error(`a file can no longer be read: ${file.failure.code}`);
      yield JSON.stringify({ file: { id, sha256 } });
      yield* dataLines(file.value.body);
    }
    for await (const { sha256, size, body } of new Blobs(this.env, this.caller).all(credential)) {
      yield JSON.stringify({ blob: { sha256, size } });
      yield* dataLines(body);
    }
  }
}
