/**
 * Effects that happen once, by their keys, in a table that is created with the first one. A row is
 * never deleted: a trim leaves it, because the effect stays done.
 */
import type { OnceRecord } from "../domain/leases/once";
import { utf8Bytes } from "../domain/json";
import { numberOrNull } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  create: `CREATE TABLE once (
    key TEXT PRIMARY KEY, lease INTEGER NOT NULL, done_seq INTEGER, bytes INTEGER NOT NULL,
    result TEXT
  ) WITHOUT ROWID`,
  find: `SELECT key, lease, done_seq, result FROM once WHERE key = ?`,
  count: `SELECT COUNT(*) AS n FROM once`,
  bytes: `SELECT SUM(bytes) AS n FROM once`,
  done: `SELECT key, lease, done_seq, result FROM once WHERE done_seq <= ? ORDER BY key`,
  save: `INSERT INTO once (key, lease, done_seq, bytes, result) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET lease = excluded.lease, done_seq = excluded.done_seq,
    bytes = excluded.bytes, result = excluded.result`,
} as const;

export class OnceStore extends LazyTable {
  protected readonly create = SQL.create;

  find(key: string): OnceRecord | null {
    const row = this.row(SQL.find, key);
    return row === undefined ? null : recordOf(row);
  }

  count(): number {
    return Number(this.row(SQL.count)?.["n"] ?? 0);
  }

  /** Bytes of all results together. */
  bytes(): number {
    return Number(this.row(SQL.bytes)?.["n"] ?? 0);
  }

  /** Those that were done up to this seq. */
  doneUpTo(seq: number): readonly OnceRecord[] {
    return this.rows(SQL.done, seq).map(recordOf);
  }

  save({ key, lease, doneSeq, result }: OnceRecord): void {
    this.ensureTable();
    const bytes = result === null ? 0 : utf8Bytes(result);
    this.run(SQL.save, key, lease, doneSeq, bytes, result);
  }
}

const recordOf = (row: SqlRow): OnceRecord => ({
  key: String(row["key"]),
  lease: Number(row["lease"]),
  doneSeq: numberOrNull(row["done_seq"]),
  result: row["result"] === null ? null : String(row["result"]),
});
