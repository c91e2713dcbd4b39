/**
 * Checks the lines after the log in a whole export: the document, files, large content, and the seal. The
 * seal's hash covers each line after the last commit, with the formula of the chain. So no such line can
 * be changed, moved, dropped or added.
 */
import { bytesToHex, decodeBase64url, hexToBytes } from "../domain/base64url";
import { VerificationError, digest, linkHash } from "./chain";

const encoder = new TextEncoder();
const SEAL = "sessionId,seq,chain,files,blobs,sha256,at";
const SIGNED_SEAL = `${SEAL},keyId,signature`;

type Fields = Readonly<Record<string, unknown>>;

export class Contents {
  files = 0;
  blobs = 0;
  isSealed = false;
  #hash: Uint8Array | null = null;
  #openFile: { readonly hash: string; readonly size: number | null; parts: Uint8Array[] } | null =
    null;
  #isFullExport = false;
  /** Hashes of the files that the document lists. */
  #expectedHashes: readonly string[] = [];
  readonly #foundHashes = new Set<string>();

  /** Adds a line that is not of the log to the hash, before it is parsed. No line may follow the seal. */
  async hashLine(line: string, chain: string | undefined): Promise<void> {
    if (this.isSealed) throw new VerificationError("a line follows the seal");
    if (line.startsWith('{"seal":')) return this.#endOpenFile();
    if (!line.startsWith('{"data":')) await this.#endOpenFile();
    this.#hash ??= chain === undefined ? null : hexToBytes(chain);
    if (this.#hash !== null) {
      this.#hash = await linkHash(this.#hash, await digest(encoder.encode(line)));
    }
  }

  /** True after the first such line. No commit may follow then. */
  get hasContent(): boolean {
    return this.#hash !== null;
  }

  addReceipt(files: unknown): void {
    if (this.#isFullExport) throw new VerificationError("the receipt is not in its place");
    this.#isFullExport = true;
    const listed: readonly unknown[] = Array.isArray(files) ? files : [];
    this.#expectedHashes = listed.map((file) => {
      const { sha256 } = fieldsOf(file);
      if (typeof sha256 !== "string") throw new VerificationError("the receipt is malformed");
      return sha256;
    });
  }

  startFile(hash: string, size: number | null): void {
    this.#isFullExport = true;
    this.#openFile = { hash, size, parts: [] };
  }

  addData(value: unknown): void {
    const bytes = typeof value === "string" ? decodeBase64url(value) : null;
    if (this.#openFile === null || bytes === null || bytes.length === 0) {
      throw new VerificationError("a part of a file is malformed");
    }
    this.#openFile.parts.push(bytes);
  }

  addSeal(seal: unknown): void {
    const { files, blobs, sha256 } = fieldsOf(seal);
    const members = Object.keys(fieldsOf(seal)).join();
    if (members !== SEAL && members !== SIGNED_SEAL)
      throw new VerificationError("the seal is malformed");
    const isRight =
      this.#hash !== null &&
      sha256 === bytesToHex(this.#hash) &&
      files === this.files &&
      blobs === this.blobs;
    if (!isRight) throw new VerificationError("the content after the log is not what was sealed");
    const missing = this.#expectedHashes.find((hash) => !this.#foundHashes.has(hash));
    if (missing !== undefined)
      throw new VerificationError(`the file with the hash ${missing} is missing`);
    this.isSealed = true;
  }

  async end(): Promise<void> {
    await this.#endOpenFile();
    if (this.#isFullExport && !this.isSealed) throw new VerificationError("the seal is missing");
  }

  async #endOpenFile(): Promise<void> {
    if (this.#openFile === null) return;
    const { hash, size, parts } = this.#openFile;
    this.#openFile = null;
    const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    const isRight = bytesToHex(await digest(bytes)) === hash;
    if (!isRight || (size !== null && size !== bytes.length)) {
      throw new VerificationError("a file or large content does not have the hash that names it");
    }
    if (size === null) this.files += 1;
    else this.blobs += 1;
    this.#foundHashes.add(hash);
  }
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
