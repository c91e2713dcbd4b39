/** The blobs of a session, in a table that is created with the first offer. */
import type { BlobTotals, StoredBlob } from "../domain/files/blob";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  create: `CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, key TEXT NOT NULL
  ) WITHOUT ROWID`,
  find: `SELECT sha256, size, key FROM blobs WHERE sha256 = ?`,
  after: `SELECT sha256, size, key FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?`,
  totals: `SELECT COUNT(*) AS count, COALESCE(SUM(size), 0) AS bytes FROM blobs`,
  insert: `INSERT INTO blobs (sha256, size, key) VALUES (?, ?, ?)`,
} as const;

export class BlobStore extends LazyTable {
  protected readonly create = SQL.create;
  #totals: BlobTotals | null = null;

  /**
   * Called before any bytes arrive: from then on a purge deletes what they may have left in the
   * bucket.
   */
  prepare(): void {
    this.ensureTable();
  }

  find(sha256: string): StoredBlob | null {
    const row = this.row(SQL.find, sha256);
    return row === undefined ? null : blobOf(row);
  }

  /** Ordered by hash, after this one. */
  after(sha256: string, limit: number): readonly StoredBlob[] {
    return this.rows(SQL.after, sha256, limit).map(blobOf);
  }

  /** Summed once per instance: a session may hold thousands. */
  totals(): BlobTotals {
    if (this.#totals !== null && this.exists()) return this.#totals;
    const row = this.row(SQL.totals);
    if (row === undefined) return { count: 0, bytes: 0 };
    this.#totals = { count: Number(row["count"]), bytes: Number(row["bytes"]) };
    return this.#totals;
  }

  insert({ sha256, size, key }: StoredBlob): void {
    const { count, bytes } = this.totals();
    // Reset first, so that a failed statement leaves no total that counts it.
    this.#totals = null;
    this.run(SQL.insert, sha256, size, key);
    this.#totals = { count: count + 1, bytes: bytes + size };
  }

  /** Called after the storage was emptied. */
  resetCache(): void {
    this.#totals = null;
  }
}

const blobOf = (row: SqlRow): StoredBlob => ({
  sha256: String(row["sha256"]),
  size: Number(row["size"]),
  key: String(row["key"]),
});
