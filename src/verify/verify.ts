/**
 * Verifies an exported log and its signatures with the file and the public keys of the server. It must
 * never call a server. It finds any changed byte, and any line that was moved, dropped or added. Without
 * keys it shows only that the file is consistent.
 */
import { VerificationError, Chain } from "./chain";
import { Contents, fieldsOf } from "./contents";
import { keptHeadProblem, type KeptHead } from "./kept-head";
import { linesOf } from "./lines";
import { isSigned, signatureProblem, type SignedObject, type VerificationKey } from "./signature";

/** A signature that holds. */
export interface Signature {
  /** Which key signed. */
  readonly keyId: string;
  /** When it was signed. */
  readonly at: string;
  /** The last event that it covers. */
  readonly seq: number;
}

/** The log is as it was exported. */
export interface Whole {
  /** It is whole. */
  readonly whole: true;
  /** The session. */
  readonly sessionId: string;
  /** The seq of its last event. Later events are not covered. */
  readonly head: number;
  /** The state of the session after that event, if the event has it. */
  readonly state: string | null;
  /** The chain's hash at the end, in hex. */
  readonly chain: string;
  /** How many commits there are. */
  readonly commits: number;
  /** Commits that trims removed, and how many events they had. Only their hashes are left. */
  readonly trimmed: { readonly commits: number; readonly events: number };
  /** True for a whole export: document, files and large content are included and sealed. False: only the log. */
  readonly sealed: boolean;
  /** How many files were checked. */
  readonly files: number;
  /** How many pieces of large content were checked. */
  readonly blobs: number;
  /** Checked with the keys; empty without keys. */
  readonly signatures: readonly Signature[];
}

/** The log is not as it was exported. */
export interface NotWhole {
  /** It is not whole. */
  readonly whole: false;
  /** The seq of the first event of the first wrong commit: one more than the last right event. */
  readonly seq: number;
  /** What is wrong. */
  readonly why: string;
}

/** Whether an exported log is whole. */
export type Verdict = Whole | NotWhole;

const PROOF_MEMBERS = "sessionId,seq,chain,at,keyId,signature";

/**
 * Checks an exported log line by line, and its signatures with the keys of the server. A log that ends
 * before a `kept` head, or has another chain there, is not whole.
 */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  keys: readonly VerificationKey[] | null,
  kept: readonly KeptHead[] = [],
): Promise<Verdict> {
  const verifier = new ExportVerifier(keys);
  try {
    for await (const line of linesOf(chunks)) await verifier.addLine(line);
    return await verifier.end(kept);
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    return { whole: false, seq: error.seq ?? verifier.head + 1, why: error.message };
  }
}

class ExportVerifier {
  readonly #keys: readonly VerificationKey[] | null;
  readonly #signatures: Signature[] = [];
  /** Hashes of the files that the log confirms, by upload. */
  readonly #confirmed = new Map<string, string>();
  readonly #chain = new Chain(({ type, payload }) => {
    const { id, upload = id, sha256 } = payload as Record<string, string>;
    if (type === "upload.confirmed") this.#confirmed.set(upload ?? "", sha256 ?? "");
    if (type === "upload.removed") this.#confirmed.delete(upload ?? "");
  });
  readonly #contents = new Contents();
  #isProven = false;

  constructor(keys: readonly VerificationKey[] | null) {
    this.#keys = keys;
  }

  get head(): number {
    return this.#chain.head;
  }

  async addLine(line: string): Promise<void> {
    const isLog = line.startsWith('{"commit":') || line.startsWith('{"trimmed":');
    if (isLog && this.#contents.hasContent)
      throw new VerificationError("the log continues after its end");
    if (line.startsWith('{"commit":')) return this.#chain.addCommit(line);
    const [name, value, parsed] = this.#parse(line);
    // Only one spelling is accepted, so that no byte of the line can change unnoticed.
    if (JSON.stringify(parsed) !== line)
      throw new VerificationError("a line is not written as exported");
    if (name === "trimmed") return this.#chain.addTrimmed(value);
    await this.#contents.hashLine(line, this.#chain.ends.get(this.head));
    switch (name) {
      case "proof":
        return this.#addProof(value);
      case "receipt":
        return this.#addReceipt(value);
      case "file":
        return this.#startFile(value);
      case "blob":
        return this.#startBlob(value);
      case "data":
        return this.#contents.addData(value);
      case "seal":
        return this.#addSeal(value);
      default:
        throw new VerificationError("a line is of an unknown kind");
    }
  }

  async end(kept: readonly KeptHead[]): Promise<Whole> {
    await this.#contents.end();
    const { sessionId, head, ends, commits, trimmed, state } = this.#chain;
    const chain = ends.get(head);
    if (sessionId === null || chain === undefined)
      throw new VerificationError("there is no commit");
    if (this.#keys !== null && !this.#signatures.some(({ seq }) => seq === head)) {
      throw new VerificationError("no signature covers the last commit");
    }
    await this.#chain.checkTrimmed();
    for (const one of kept) {
      const problem = keptHeadProblem(one, { sessionId, head, ends: this.#chain.endsWithTrimmed });
      if (problem !== null) throw new VerificationError(problem, Math.min(one.seq, head + 1));
    }
    const { files, blobs, isSealed: sealed } = this.#contents;
    const counts = { commits, trimmed, sealed, files, blobs };
    return { whole: true, sessionId, head, state, chain, ...counts, signatures: this.#signatures };
  }

  #parse(line: string): [name: string, value: unknown, parsed: unknown] {
    try {
      const parsed = JSON.parse(line) as object;
      const [entry, ...more] = Object.entries(parsed);
      if (entry !== undefined && more.length === 0) return [entry[0], entry[1], parsed];
    } catch {
      throw new VerificationError("a line is not JSON");
    }
    throw new VerificationError("a line is of an unknown kind");
  }

  async #addProof(proof: unknown): Promise<void> {
    if (!isSigned(proof) || Object.keys(proof).join() !== PROOF_MEMBERS) {
      throw new VerificationError("a proof is malformed");
    }
    if (this.#isProven) throw new VerificationError("there is more than one proof");
    this.#isProven = true;
    await this.#checkHead(proof, "the proof");
  }

  async #addReceipt(receipt: unknown): Promise<void> {
    if (!isSigned(receipt)) throw new VerificationError("the receipt is not signed");
    await this.#checkHead(receipt, "the receipt");
    this.#contents.addReceipt(receipt["files"]);
  }

  async #addSeal(seal: unknown): Promise<void> {
    this.#contents.addSeal(seal);
    if (isSigned(seal)) await this.#checkHead(seal, "the seal");
    else if (this.#keys !== null) throw new VerificationError("the seal is not signed");
  }

  /** Checks a signed document that must cover the head of this log. */
  async #checkHead(signed: SignedObject, what: string): Promise<void> {
    const { sessionId, seq, chain, at, keyId } = signed as SignedObject & Record<string, unknown>;
    if (sessionId !== this.#chain.sessionId)
      throw new VerificationError(`${what} belongs to another session`);
    if (seq !== this.head) throw new VerificationError(`${what} does not cover the last commit`);
    if (this.#chain.ends.get(seq) !== chain)
      throw new VerificationError(`${what} names another chain`);
    if (this.#keys === null) return;
    const problem = await signatureProblem(signed, this.#keys);
    if (problem !== null) throw new VerificationError(`${what}: ${problem}`);
    this.#signatures.push({ keyId, at: String(at), seq });
  }

  #startFile(value: unknown): void {
    const { id, sha256, ...more } = fieldsOf(value);
    const isKnown = typeof id === "string" && this.#confirmed.get(id) === sha256;
    if (!isKnown || Object.keys(more).length > 0) {
      throw new VerificationError("a file is not one that the log confirms");
    }
    this.#contents.startFile(String(sha256), null);
  }

  /** Not checked against the log: events name large content by its hash in members that only their writer knows. */
  #startBlob(value: unknown): void {
    const { sha256, size, ...more } = fieldsOf(value);
    const isShaped = typeof sha256 === "string" && typeof size === "number";
    if (!isShaped || Object.keys(more).length > 0)
      throw new VerificationError("large content is malformed");
    this.#contents.startFile(sha256, size);
  }
}
