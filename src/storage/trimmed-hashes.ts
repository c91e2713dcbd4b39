/**
 * What a trim leaves of the commits it removes: first seq, last seq and body hash of each, packed
 * into one row per trim, in a table that is created with the first. With them the chain can be
 * followed over the gap.
 */
import { createHash } from "node:crypto";
import { bytesToHex } from "../domain/base64url";
import type { RemovedCommits } from "../domain/session/decision";
import { HASH_BYTES } from "./chain";
import { LazyTable } from "./lazy-table";
import { bytesOrNull } from "./cells";

const SQL = {
  create: `CREATE TABLE trimmed_commits (
    first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, hashes BLOB NOT NULL
  )`,
  insert: `INSERT INTO trimmed_commits (first_seq, last_seq, hashes) VALUES (?, ?, ?)`,
  list: `SELECT first_seq FROM trimmed_commits WHERE last_seq > ? ORDER BY first_seq`,
  hashes: `SELECT hashes FROM trimmed_commits WHERE first_seq = ?`,
} as const;

export interface TrimmedCommit {
  readonly first: number;
  readonly last: number;
  readonly bodyHash: Uint8Array;
}

/** A trimmed commit as an export lists it. */
export type TrimmedEntry = readonly [first: number, last: number, bodyHash: string];

export const toTrimmedEntry = ({ first, last, bodyHash }: TrimmedCommit): TrimmedEntry => [
  first,
  last,
  bytesToHex(bodyHash),
];

/** Characters hashed at once, so that no text of a long list is built. */
const DIGEST_CHUNK = 64 * 1024;

/**
 * The digest is the SHA-256 of the list as JSON without spaces, `[[first,last,"hex"],…]`. The event
 * of a trim has it, because the chain alone covers neither which commits were trimmed nor their
 * seqs.
 */
export function digestTrimmed(trimmed: Iterable<TrimmedCommit>): RemovedCommits {
  const hash = createHash("sha256");
  let commits = 0;
  let events = 0;
  let text = "[";
  for (const commit of trimmed) {
    text += (commits === 0 ? "" : ",") + JSON.stringify(toTrimmedEntry(commit));
    commits += 1;
    events += commit.last - commit.first + 1;
    if (text.length < DIGEST_CHUNK) continue;
    hash.update(text);
    text = "";
  }
  return { commits, events, sha256: hash.update(`${text}]`).digest("hex") };
}

/** Merges two lists that are each in the order of the log. */
export function* inLogOrder<A extends { first: number }, B extends { first: number }>(
  some: Iterator<A>,
  others: Iterable<B>,
): Generator<A | B> {
  let one = some.next();
  for (const other of others) {
    for (; one.done !== true && one.value.first < other.first; one = some.next()) yield one.value;
    yield other;
  }
  for (; one.done !== true; one = some.next()) yield one.value;
}

/** Six bytes for the first seq, four for the number of further events, and the hash. */
export const TRIMMED_BYTES = 6 + 4 + HASH_BYTES;
/** Keeps a row well below the platform's limit; a larger trim writes several rows. */
const MAX_IN_ROW = 20_000;
const WORD = 2 ** 32;

export class TrimmedHashes extends LazyTable {
  protected readonly create = SQL.create;

  /** Commits must be in the order of the log. */
  add(trimmed: readonly TrimmedCommit[]): void {
    if (trimmed.length > 0) this.ensureTable();
    for (let at = 0; at < trimmed.length; at += MAX_IN_ROW) {
      const some = trimmed.slice(at, at + MAX_IN_ROW);
      this.run(SQL.insert, some[0]?.first ?? 0, some.at(-1)?.last ?? 0, pack(some));
    }
  }

  /**
   * Commits that start after `seq`, in the order of the log. Trims may overlap, because a keyed
   * append is kept while its key is remembered; so overlapping rows are merged while reading.
   */
  *after(seq: number): Generator<TrimmedCommit> {
    if (!this.exists()) return;
    const waiting = this.run(SQL.list, seq).map((row) => Number(row["first_seq"]));
    const open: RowReader[] = [];
    for (;;) {
      let next = nextOf(open);
      while (waiting[0] !== undefined && waiting[0] <= (next?.head?.first ?? Infinity)) {
        open.push(new RowReader(this.#bytes(waiting.shift() ?? 0), seq));
        next = nextOf(open);
      }
      if (next?.head == null) return;
      yield next.head;
      next.advance();
      if (next.head === null) open.splice(open.indexOf(next), 1);
    }
  }

  #bytes(first: number): Uint8Array {
    return bytesOrNull(this.run(SQL.hashes, first)[0]?.["hashes"]) ?? new Uint8Array();
  }
}

const nextOf = (open: readonly RowReader[]): RowReader | undefined =>
  open.reduce<RowReader | undefined>(
    (least, one) => ((one.head?.first ?? 0) < (least?.head?.first ?? Infinity) ? one : least),
    undefined,
  );

function pack(trimmed: readonly TrimmedCommit[]): Uint8Array {
  const bytes = new Uint8Array(trimmed.length * TRIMMED_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { first, last, bodyHash }] of trimmed.entries()) {
    const at = index * TRIMMED_BYTES;
    view.setUint16(at, Math.floor(first / WORD));
    view.setUint32(at + 2, first % WORD);
    view.setUint32(at + 6, last - first);
    bytes.set(bodyHash, at + 10);
  }
  return bytes;
}

/** Reads one row, from the first commit that starts after a seq. */
class RowReader {
  head: TrimmedCommit | null = null;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array, after: number) {
    this.#bytes = bytes;
    do this.advance();
    while (this.head !== null && this.head.first <= after);
  }

  advance(): void {
    const at = this.#at;
    this.#at += TRIMMED_BYTES;
    if (this.#at > this.#bytes.length) {
      this.head = null;
      return;
    }
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at, TRIMMED_BYTES);
    const first = view.getUint16(0) * WORD + view.getUint32(2);
    const bodyHash = this.#bytes.slice(at + 10, this.#at);
    this.head = { first, last: first + view.getUint32(6), bodyHash };
  }
}
