/**
 * Recomputes the chain of an export line by line: chain(n) = SHA-256(chain(n-1) ‖ SHA-256(body n)), and
 * chain(0) is the session's id. The body of a commit is the text between `{"commit":` and `,"chain":"…"}`.
 */
import { bytesToHex, hexToBytes } from "../domain/base64url";

/** Exactly the form of the server's ids, because the id is printed and must not contain anything else. */
export const isSessionId = (value: unknown): value is string =>
  typeof value === "string" && /^ses_[\w-]+$/.test(value);

/** Why the file is not whole. Without `seq`, the error is at the commit after the last right one. */
export class VerificationError extends Error {
  /** The seq of the first event of the wrong commit. */
  readonly seq: number | null;

  constructor(why: string, seq: number | null = null) {
    super(why);
    this.seq = seq;
  }
}

interface Commit {
  readonly sessionId: string;
  readonly first: number;
  readonly last: number;
  readonly events: readonly LogEvent[];
}

interface LogEvent {
  readonly seq: number;
  readonly type: string;
  readonly state?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const COMMIT_PREFIX = '{"commit":';
const CHAIN_SUFFIX = /,"chain":"([0-9a-f]{64})"\}$/;
const HASH = /^[0-9a-f]{64}$/;
const encoder = new TextEncoder();

export class Chain {
  sessionId: string | null = null;
  /** The last seq of the lines so far. */
  head = 0;
  commits = 0;
  trimmed = 0;
  /** Events that were trimmed before chains existed. Nothing is known of them. */
  uncovered = 0;
  /** The chain after each commit, by its last seq. A proof can name only these. */
  readonly ends = new Map<number, string>();
  /** The same including trimmed commits, up to the first whose hash is not known. */
  readonly endsWithTrimmed = new Map<number, string>();
  /** The session's state after the last event. */
  state: string | null = null;
  readonly #onEvent: (event: LogEvent) => void;
  #chain: Uint8Array = new Uint8Array();

  constructor(onEvent: (event: LogEvent) => void) {
    this.#onEvent = onEvent;
  }

  async addCommit(line: string): Promise<void> {
    const [tail = "", stated = ""] = CHAIN_SUFFIX.exec(line) ?? [];
    if (tail === "") throw new VerificationError("its line does not end with its chain");
    const body = line.slice(COMMIT_PREFIX.length, -tail.length);
    const commit = this.#parse(body);
    // Only one spelling is accepted, so no member can appear twice, which parsers read differently.
    if (JSON.stringify(commit) !== body)
      throw new VerificationError("it is not written as exported");
    this.#setSession(commit.sessionId);
    this.#chain = await linkHash(this.#chain, await digest(encoder.encode(body)));
    if (bytesToHex(this.#chain) !== stated)
      throw new VerificationError("it does not match the chain");
    this.#check(commit);
    this.commits += 1;
    this.head = commit.last;
    this.ends.set(commit.last, stated);
    this.endsWithTrimmed.set(commit.last, stated);
    this.state = commit.events.at(-1)?.state ?? null;
    for (const event of commit.events) this.#onEvent(event);
  }

  async addTrimmed(entries: unknown): Promise<void> {
    if (this.sessionId === null) throw new VerificationError("the first commit is never trimmed");
    if (!Array.isArray(entries) || entries.length === 0)
      throw new VerificationError("it lists no trimmed commits");
    for (const entry of entries as readonly unknown[]) {
      const [first, last, bodyHash, ...more] = Array.isArray(entry) ? (entry as unknown[]) : [];
      const isRange =
        first === this.head + 1 && Number.isSafeInteger(last) && Number(last) >= first;
      if (!isRange || more.length > 0)
        throw new VerificationError("it does not follow the commit before it");
      if (bodyHash === null) this.uncovered += Number(last) - this.head;
      else if (typeof bodyHash !== "string" || !HASH.test(bodyHash)) {
        throw new VerificationError("its hash is malformed");
      } else this.#chain = await linkHash(this.#chain, hexToBytes(bodyHash));
      this.trimmed += 1;
      this.head = Number(last);
      if (this.uncovered === 0) this.endsWithTrimmed.set(this.head, bytesToHex(this.#chain));
    }
  }

  #parse(body: string): Commit {
    try {
      return JSON.parse(body) as Commit;
    } catch {
      throw new VerificationError("it is not JSON");
    }
  }

  #setSession(sessionId: unknown): void {
    if (!isSessionId(sessionId)) throw new VerificationError("it does not name a session");
    if (this.sessionId === null) this.#chain = encoder.encode(sessionId);
    else if (this.sessionId !== sessionId)
      throw new VerificationError("it belongs to another session");
    this.sessionId = sessionId;
  }

  #check({ first, last, events }: Commit): void {
    if (first !== this.head + 1)
      throw new VerificationError("it does not follow the commit before it");
    const isNumbered = Array.isArray(events) && events.every((one, at) => one?.seq === first + at);
    if (!isNumbered || events.length !== last - first + 1) {
      throw new VerificationError("its events do not have its numbers");
    }
  }
}

export const digest = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));

/** Computes the next hash of a chain. */
export function linkHash(before: Uint8Array, hash: Uint8Array): Promise<Uint8Array> {
  const both = new Uint8Array(before.length + hash.length);
  both.set(before);
  both.set(hash, before.length);
  return digest(both);
}
