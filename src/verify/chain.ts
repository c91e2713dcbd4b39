/**
 * Recomputes the chain of an export line by line: chain(n) = SHA-256(chain(n-1) ‖ SHA-256(body n)), and
 * chain(0) is the session's id. The body of a commit is the text between `{"commit":` and `,"chain":"…"}`.
 */
import { bytesToHex, hexToBytes } from "../domain/base64url";
import { isJsonObject } from "../domain/json";

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
/** The state is printed, so it must not contain anything else. */
const STATE = /^[a-z_]*$/;
const encoder = new TextEncoder();

/** The chain alone does not show this: whoever forges an event can compute the chain again. */
const isLogEvent = ({ type, state = "", payload }: Partial<LogEvent>): boolean =>
  typeof type === "string" &&
  typeof state === "string" &&
  STATE.test(state) &&
  isJsonObject(payload);

export class Chain {
  sessionId: string | null = null;
  /** The last seq of the lines so far. */
  head = 0;
  commits = 0;
  readonly trimmed = { commits: 0, events: 0 };
  /** The chain after each commit, by its last seq. A proof can name only these. */
  readonly ends = new Map<number, string>();
  /** The same including trimmed commits. */
  readonly endsWithTrimmed = new Map<number, string>();
  /** The session's state after the last event. */
  state: string | null = null;
  readonly #onEvent: (event: LogEvent) => void;
  /** The trimmed commits as the file lists them. */
  readonly #listed: [first: number, last: number, bodyHash: string][] = [];
  /** The payload of the last successful trim. */
  #lastTrim: LogEvent["payload"] | null = null;
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
    for (const event of commit.events) {
      const isTrim = event.type === "session.trimmed" && event.payload["outcome"] === "success";
      if (isTrim) this.#lastTrim = event.payload;
      this.#onEvent(event);
    }
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
      if (typeof bodyHash !== "string" || !HASH.test(bodyHash))
        throw new VerificationError("its hash is malformed");
      this.#chain = await linkHash(this.#chain, hexToBytes(bodyHash));
      this.trimmed.commits += 1;
      this.trimmed.events += Number(last) - this.head;
      this.head = Number(last);
      this.#listed.push([first, this.head, bodyHash]);
      this.endsWithTrimmed.set(this.head, bytesToHex(this.#chain));
    }
  }

  /**
   * Whoever has a commit can compute its entry, and the chain then still holds. So entries count only if
   * the last trim in the log recorded exactly this list.
   */
  async checkTrimmed(): Promise<void> {
    const [first = null] = this.#listed[0] ?? [];
    const [, last = 0] = this.#listed.at(-1) ?? [];
    if (this.#lastTrim === null) {
      if (first === null) return;
      throw new VerificationError("it is missing, and no trim in this file removed it", first);
    }
    const { floor, removed } = this.#lastTrim as { floor: unknown; removed?: { sha256?: unknown } };
    const list = bytesToHex(await digest(encoder.encode(JSON.stringify(this.#listed))));
    const isCovered = first === null || (typeof floor === "number" && floor >= last);
    if (removed?.sha256 !== list || !isCovered)
      throw new VerificationError(
        "the missing commits are not those that the last trim recorded",
        first,
      );
  }

  #parse(body: string): Commit {
    let commit: unknown;
    try {
      commit = JSON.parse(body);
    } catch {
      throw new VerificationError("it is not JSON");
    }
    if (!isJsonObject(commit)) throw new VerificationError("it is not an object");
    return commit as unknown as Commit;
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
    if (!isNumbered || last !== first + events.length - 1) {
      throw new VerificationError("its events do not have its numbers");
    }
    if (!events.every(isLogEvent)) throw new VerificationError("one of its events is malformed");
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
