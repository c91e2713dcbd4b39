/**
 * Is an exported log whole, and who says so? Takes the file alone and the public keys of the server it
 * came from; asks nobody. Any byte that was changed, and any line that was moved, dropped or added, is
 * found. Without keys it shows only that the file agrees with itself.
 */
import { bytesToHex, decodeBase64url } from "../domain/base64url";
import { Broken, Chain, digest } from "./chain";
import { linesOf, NotLines } from "./lines";
import { isSigned, signatureProblem, type Signed, type VerificationKey } from "./signed";

/** A signature that holds. */
export interface Signature {
  /** Which key signed. */
  readonly keyId: string;
  /** When it was signed, and up to which event. */
  readonly at: string;
  /** Up to which seq. */
  readonly seq: number;
}

/** The log is as it was exported. */
export interface Whole {
  /** It is whole. */
  readonly whole: true;
  /** The session. */
  readonly sessionId: string;
  /** The seq of its last event. */
  readonly head: number;
  /** The chain's hash at the end, in hex. */
  readonly chain: string;
  /** How many commits there are. */
  readonly commits: number;
  /** Commits of which a trim left only the hash. */
  readonly trimmed: number;
  /** Events that were trimmed before there was a chain. */
  readonly uncovered: number;
  /** How many files were checked. */
  readonly files: number;
  /** Checked with the keys; empty without keys. */
  readonly signatures: readonly Signature[];
}

/** The log is not as it was exported. */
export interface NotWhole {
  /** It is not whole. */
  readonly whole: false;
  /** The first commit that is wrong, by the seq of its first event. */
  readonly seq: number;
  /** What is wrong. */
  readonly why: string;
}

/** Whether an exported log is whole. */
export type Verdict = Whole | NotWhole;

const PROOF = "at,chain,keyId,seq,sessionId,signature";

/** Checks an exported log line by line, and its signatures with the keys of the server. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keys: readonly VerificationKey[] | null,
): Promise<Verdict> {
  const reading = new Reading(keys);
  try {
    for await (const line of linesOf(chunks)) await reading.take(line);
    return await reading.end();
  } catch (error) {
    if (error instanceof Broken) return { whole: false, seq: error.seq, why: error.message };
    if (error instanceof NotLines) {
      return { whole: false, seq: reading.head + 1, why: error.message };
    }
    throw error;
  }
}

class Reading {
  readonly #keys: readonly VerificationKey[] | null;
  readonly #signatures: Signature[] = [];
  /** Hashes of the files that the log says are there, by upload. */
  readonly #confirmed = new Map<string, string>();
  readonly #chain = new Chain(({ type, payload }) => {
    const { id, upload = id, sha256 } = payload as Record<string, string>;
    if (type === "upload.confirmed") this.#confirmed.set(upload ?? "", sha256 ?? "");
    if (type === "upload.removed") this.#confirmed.delete(upload ?? "");
  });
  #file: { readonly hash: string; parts: Uint8Array[] } | null = null;
  #files = 0;
  #isProven = false;
  #expected: ReadonlySet<string> | null = null;
  readonly #found = new Set<string>();

  constructor(keys: readonly VerificationKey[] | null) {
    this.#keys = keys;
  }

  get head(): number {
    return this.#chain.head;
  }

  async take(line: string): Promise<void> {
    if (line.startsWith('{"commit":')) return this.#chain.addCommit(line);
    const [name, value, parsed] = this.#parse(line);
    // One spelling only, so that no byte of the line can change unnoticed.
    if (JSON.stringify(parsed) !== line) throw this.#broken("a line is not spelled as exported");
    if (name !== "data") await this.#endFile();
    switch (name) {
      case "trimmed":
        return this.#chain.addTrimmed(value);
      case "proof":
        return this.#addProof(value);
      case "receipt":
        return this.#addReceipt(value);
      case "file":
        return this.#beginFile(value);
      case "data":
        return this.#addData(value);
      default:
        throw this.#broken("a line is of no known kind");
    }
  }

  async end(): Promise<Whole> {
    await this.#endFile();
    const { sessionId, head, ends, commits, trimmed, uncovered } = this.#chain;
    const chain = ends.get(head);
    if (sessionId === null || chain === undefined) throw this.#broken("there is no commit");
    if (this.#keys !== null && !this.#signatures.some(({ seq }) => seq === head)) {
      throw new Broken(head, "no signature covers the last commit");
    }
    const missing = [...(this.#expected ?? [])].find((hash) => !this.#found.has(hash));
    if (this.#files > 0 && missing !== undefined) {
      throw this.#broken(`the file with the hash ${missing} is missing`);
    }
    const counts = { commits, trimmed, uncovered, files: this.#files };
    return { whole: true, sessionId, head, chain, ...counts, signatures: this.#signatures };
  }

  #parse(line: string): [name: string, value: unknown, parsed: unknown] {
    try {
      const parsed = JSON.parse(line) as object;
      const [entry, ...more] = Object.entries(parsed);
      if (entry !== undefined && more.length === 0) return [entry[0], entry[1], parsed];
    } catch {
      throw this.#broken("a line is not JSON");
    }
    throw this.#broken("a line is of no known kind");
  }

  async #addProof(proof: unknown): Promise<void> {
    if (!isSigned(proof) || Object.keys(proof).sort().join() !== PROOF) {
      throw this.#broken("a proof is malformed");
    }
    if (this.#isProven) throw this.#broken("there is more than one proof");
    this.#isProven = true;
    await this.#checkHead(proof, "the proof");
  }

  async #addReceipt(receipt: unknown): Promise<void> {
    if (!isSigned(receipt)) throw this.#broken("the receipt is not signed");
    await this.#checkHead(receipt, "the receipt");
    const files = (receipt["files"] ?? []) as readonly { readonly sha256: string }[];
    this.#expected = new Set(files.map(({ sha256 }) => sha256));
  }

  /** A signed document that speaks of a head of this log. */
  async #checkHead(signed: Signed, what: string): Promise<void> {
    const { sessionId, seq, chain, at, keyId } = signed as Signed & Record<string, unknown>;
    const end = typeof seq === "number" ? this.#chain.ends.get(seq) : undefined;
    if (sessionId !== this.#chain.sessionId) throw this.#broken(`${what} is of another session`);
    if (end === undefined) throw this.#broken(`${what} speaks of a commit that is not here`);
    if (end !== chain) throw new Broken(Number(seq), `${what} speaks of another chain`);
    if (this.#keys === null) return;
    const problem = await signatureProblem(signed, this.#keys);
    if (problem !== null) throw new Broken(Number(seq), `${what}: ${problem}`);
    this.#signatures.push({ keyId, at: String(at), seq: Number(seq) });
  }

  #beginFile(value: unknown): void {
    const { id, sha256, ...more } = value as Record<string, unknown>;
    const isKnown = typeof id === "string" && this.#confirmed.get(id) === sha256;
    if (!isKnown || Object.keys(more).length > 0) {
      throw this.#broken("a file is not one that the log confirms");
    }
    this.#file = { hash: String(sha256), parts: [] };
  }

  #addData(value: unknown): void {
    const bytes = typeof value === "string" ? decodeBase64url(value) : null;
    if (this.#file === null || bytes === null || bytes.length === 0) {
      throw this.#broken("a part of a file is malformed");
    }
    this.#file.parts.push(bytes);
  }

  async #endFile(): Promise<void> {
    if (this.#file === null) return;
    const { hash, parts } = this.#file;
    this.#file = null;
    const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    if (bytesToHex(await digest(bytes)) !== hash) {
      throw this.#broken("a file is not what the log says it is");
    }
    this.#files += 1;
    this.#found.add(hash);
  }

  #broken(why: string): Broken {
    return new Broken(this.head + 1, why);
  }
}
