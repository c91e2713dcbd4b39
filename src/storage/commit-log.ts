/**
 * The rows of one session's log, one per commit. An append's commit is its only row, so the head is
 * read from the log itself.
 */
import type { IssuedToken } from "../domain/participants/admission";
import type { Commit } from "../domain/log/commit";
import { isTrimmable } from "../domain/log/event";
import { logCapacity, type Writer } from "../domain/log/log-capacity";
import type { RequestHash, TokenHash } from "../domain/ids";
import type { RemovedCommits } from "../domain/session/decision";
import { isNumbered } from "../domain/jobs/job-rules";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { chainStart, linkTo } from "./chain";
import { RememberedKeys, type KeyedAppend } from "./remembered-keys";
import { assertFits, RowTooLarge } from "./row-size";
import { bytesOrNull, numberOrNull } from "./cells";
import type { SqlPort } from "./sql-port";
import { toChainEnd, toStoredCommit, toTrimmedCommit } from "./stored-commit";
import type { ChainEnd, StoredCommit } from "./stored-commit";
import {
  digestTrimmed,
  inLogOrder,
  TRIMMED_BYTES,
  TrimmedHashes,
  type TrimmedCommit,
} from "./trimmed-hashes";

/**
 * The commit that holds a seq may start earlier; it is the last that starts at or before it. SQLite
 * compiles a statement with `LIMIT ?` again for each use, and one with `LIMIT +?` once.
 */
const FROM_HOLDING = `FROM commits WHERE first_seq >=
  (SELECT COALESCE(MAX(first_seq), 0) FROM commits WHERE first_seq <= ?)
  AND trimmable <= ? ORDER BY first_seq LIMIT +?`;

/**
 * A keyed append is kept as long as its key is remembered: a repeated one must not be stored again.
 */
const TO_TRIM = `FROM commits WHERE last_seq <= ? AND trimmable = 1 AND (append_key IS NULL OR
    first_seq < (SELECT MIN(first_seq) FROM
      (SELECT first_seq FROM commits ORDER BY first_seq DESC LIMIT ?)))`;

const SQL = {
  // Each row has the totals up to itself, so that they need no other row.
  end: `SELECT last_seq, job_seq, log_bytes, chain FROM commits ORDER BY first_seq DESC LIMIT 1`,
  issued: `SELECT issued FROM commits WHERE first_seq = ?`,
  insertCommit: `INSERT INTO commits (first_seq, last_seq, at, participant, actor, state, version,
    trimmable, job_seq, log_bytes, issued, append_key, append_request, body_hash, chain, events)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  jobSeqAt: `SELECT job_seq FROM commits WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
  trimmableUpTo: `SELECT MAX(last_seq) AS floor FROM commits WHERE last_seq <= ? AND trimmable = 1`,
  toTrim: `SELECT first_seq, last_seq, body_hash ${TO_TRIM} ORDER BY first_seq`,
  trim: `DELETE ${TO_TRIM}
    RETURNING first_seq, last_seq, body_hash, LENGTH(CAST(events AS BLOB)) AS bytes`,
  commitAt: `SELECT first_seq, last_seq, events FROM commits WHERE first_seq = ?`,
  keys: `SELECT first_seq, last_seq, participant, append_key, append_request FROM commits
    ORDER BY first_seq DESC LIMIT ?`,
  commitHolding: `SELECT first_seq FROM commits WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1`,
  commitsFrom: `SELECT first_seq, last_seq, events ${FROM_HOLDING}`,
  // With author and time, for filters.
  describedFrom: `SELECT first_seq, last_seq, at, actor, events ${FROM_HOLDING}`,
  // The proof of a seq: the commit that holds it or, if that was trimmed, the next one.
  endFrom: `SELECT last_seq, chain FROM commits WHERE first_seq >= ? ORDER BY first_seq LIMIT 2`,
  // With the inputs of the chain.
  chainedFrom: `SELECT first_seq, last_seq, participant, chain, events ${FROM_HOLDING}`,
} as const;

export interface CommitRecord {
  readonly commit: Commit;
  /** The commit's events as `encodeEvents` writes them: encoded once, measured, then stored. */
  readonly text: string;
  readonly at: number;
  readonly participant: number | null;
  readonly writer: Writer;
  /** Counted with the text. */
  readonly extraBytes?: number;
  readonly issued: readonly IssuedToken[];
  readonly append?: { readonly key: string; readonly request: RequestHash } | undefined;
}

/** Totals of the whole log, from the newest row. */
interface LogEnd {
  readonly head: number;
  readonly jobHead: number;
  readonly logBytes: number;
  readonly chain: Uint8Array;
}

/**
 * Commits fetched at once: few, because one row can have two megabytes, and more while they are
 * small.
 */
const READ_AHEAD = 16;
const READ_AHEAD_MAX = 256;
const SMALL_BATCH = 1024 * 1024;

export class CommitLog {
  protected readonly sql: SqlPort;
  /** The session's id, with which the chain starts. */
  protected readonly id: string;
  readonly #trimmed: TrimmedHashes;
  #end: LogEnd | null = null;
  #keys: RememberedKeys | null = null;

  constructor(sql: SqlPort, id: string) {
    this.sql = sql;
    this.id = id;
    this.#trimmed = new TrimmedHashes(sql);
  }

  protected resetLogCache(): void {
    this.#end = null;
    this.#keys = null;
  }

  head(): number {
    return this.#last().head;
  }

  #last(): LogEnd {
    if (this.#end !== null) return this.#end;
    const row = this.sql.run(SQL.end)[0];
    const numberIn = (column: string): number => Number(row?.[column] ?? 0);
    this.#end = {
      head: numberIn("last_seq"),
      jobHead: numberIn("job_seq"),
      logBytes: numberIn("log_bytes"),
      chain: bytesOrNull(row?.["chain"]) ?? chainStart(this.id),
    };
    return this.#end;
  }

  /**
   * Tokens issued by the commit that starts at `seq`: they distinguish a spent token from a false
   * one.
   */
  issuedAt(seq: number): readonly IssuedToken[] {
    const issued = this.sql.run(SQL.issued, seq)[0]?.["issued"];
    if (typeof issued !== "string") return [];
    return (JSON.parse(issued) as readonly [number, TokenHash][]).map(([participant, hash]) => ({
      participant,
      hash,
    }));
  }

  insertCommit(record: CommitRecord): void {
    const { commit, text, at, participant, writer, extraBytes = 0, issued, append } = record;
    const { first, last, actor, events, session } = commit;
    assertFits([text], "what this request would write");
    const hasOnlyTrimmable = events.every(({ type }) => isTrimmable(type));
    const bytes = utf8Bytes(text) + extraBytes;
    const used = this.logBytes();
    const limit = logCapacity(writer, events, bytes);
    const logBytes = used + bytes;
    if (logBytes > limit) throw new RowTooLarge("the log of this session", limit, used);
    const jobHead =
      (events.findLast(({ type }) => isNumbered(type))?.payload["eventSeq"] as number) ??
      this.jobHead();
    const before = first === 1 ? chainStart(this.id) : this.#last().chain;
    const body = { first, last, participant, lines: text };
    const { bodyHash, chain } = linkTo(before, this.id, body);
    this.sql.run(
      SQL.insertCommit,
      first,
      last,
      at,
      participant,
      JSON.stringify(actor),
      session.state,
      session.version,
      hasOnlyTrimmable ? 1 : 0,
      jobHead,
      logBytes,
      issued.length === 0 ? null : JSON.stringify(issued.map((one) => [one.participant, one.hash])),
      append?.key ?? null,
      append?.request ?? null,
      bodyHash,
      chain,
      text,
    );
    this.#end = { head: last, jobHead, logBytes, chain };
    const { key = null, request = "" as RequestHash } = append ?? {};
    this.#keys?.add(participant, key, { first, last, request });
  }

  /** The chain up to the newest commit. */
  chain(): Uint8Array {
    return this.#last().chain;
  }

  /** Bytes of everything stored: events, and the inputs and results of jobs. */
  logBytes(): number {
    return this.#last().logBytes;
  }

  /** The number of the last job event, in the separate numbering of job events. */
  jobHead(): number {
    return this.#last().jobHead;
  }

  /**
   * The first commit after which there were more than `number` job events. Found by binary search,
   * because that number only grows along the log: it needs no index.
   */
  commitPastJobEvent(number: number): StoredCommit | null {
    let low = 1;
    let high = this.head() + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const reached = Number(this.sql.run(SQL.jobSeqAt, middle)[0]?.["job_seq"] ?? 0);
      if (reached > number) high = middle;
      else low = middle + 1;
    }
    return this.commitAt(low);
  }

  /** The last seq up to `seq` that trimming would remove, or null. */
  trimmableUpTo(seq: number): number | null {
    return numberOrNull(this.sql.run(SQL.trimmableUpTo, seq)[0]?.["floor"]);
  }

  /**
   * What is missing from the log after a trim up to `upTo`, in this trim or an earlier one, exactly
   * as an export then lists it. Writes nothing.
   */
  removedByTrim(upTo: number): RemovedCommits {
    const removed = this.sql.run(SQL.toTrim, upTo, LIMITS.appendMemory).map(toTrimmedCommit);
    return digestTrimmed(inLogOrder(this.#trimmed.after(0), removed));
  }

  /**
   * Removes commits that hold only client and job events, except those with remembered keys. Called
   * before the commit that records the trim, whose row then has the new total.
   */
  trim(upTo: number): void {
    const trimmed = this.sql.run(SQL.trim, upTo, LIMITS.appendMemory);
    const freed = trimmed.reduce((sum, row) => sum + Number(row["bytes"]), 0);
    const hashes = trimmed.map(toTrimmedCommit).sort((a, b) => a.first - b.first);
    this.#trimmed.add(hashes);
    const bytes = freed - hashes.length * TRIMMED_BYTES;
    // Rows from before the totals were introduced were not counted.
    this.#end = { ...this.#last(), logBytes: Math.max(0, this.logBytes() - bytes) };
  }

  /**
   * The chain at the end of the first stored commit that ends at `seq` or later; null beyond the
   * head.
   */
  chainAt(seq: number): ChainEnd | null {
    const holding = this.sql.run(SQL.commitHolding, seq)[0];
    const row = this.sql
      .run(SQL.endFrom, Number(holding?.["first_seq"] ?? 0))
      .find((one) => Number(one["last_seq"]) >= seq);
    return row === undefined ? null : toChainEnd(row);
  }

  /** Trimmed commits that start after `seq`. */
  trimmedAfter(seq: number): Generator<TrimmedCommit> {
    return this.#trimmed.after(seq);
  }

  /** The commit that starts at `seq`. */
  commitAt(seq: number): StoredCommit | null {
    const row = this.sql.run(SQL.commitAt, seq)[0];
    return row === undefined ? null : toStoredCommit(row);
  }

  /** The participant's append with this key, among the session's last commits. */
  appendByKey(participant: number, key: string): KeyedAppend | null {
    this.#keys ??= this.#readKeys();
    return this.#keys.find(participant, key);
  }

  #readKeys(): RememberedKeys {
    const keys = new RememberedKeys(LIMITS.appendMemory);
    for (const row of this.sql.run(SQL.keys, LIMITS.appendMemory).toReversed()) {
      keys.add(row["participant"] as number | null, row["append_key"] as string | null, {
        first: Number(row["first_seq"]),
        last: Number(row["last_seq"]),
        request: row["append_request"] as RequestHash,
      });
    }
    return keys;
  }

  /**
   * Commits with events after `seq`, in order, fetched as they are consumed; "described" with
   * author and time, or "chained" with their hash. If trimmable commits are excluded, their text is
   * not even read: it may be the whole log.
   */
  *commitsAfter(
    seq: number,
    more?: "described" | "chained",
    withTrimmable = true,
  ): Generator<StoredCommit> {
    const statement = SQL[`${more ?? "commits"}From`];
    let after = seq;
    for (let ahead = READ_AHEAD; ; ) {
      const rows = this.sql.run(statement, after + 1, withTrimmable ? 1 : 0, ahead);
      let length = 0;
      for (const row of rows) {
        const commit = toStoredCommit(row);
        if (commit.last <= after) continue;
        yield commit;
        after = commit.last;
        length += commit.lines.length;
      }
      if (rows.length < ahead) return;
      ahead = length < SMALL_BATCH ? Math.min(ahead * 4, READ_AHEAD_MAX) : READ_AHEAD;
    }
  }
}
