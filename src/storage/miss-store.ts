/**
 * The misses of many addresses, by the hash of each address: one row, created with its first miss.
 */
import { MISS_MEMORY_MS, NO_MISSES, type Misses } from "../domain/links/miss-limit";
import { LIMITS } from "../domain/limits";
import { LazyTable } from "./lazy-table";

const SQL = {
  // No index on last_at, because every miss would pay for it: the rows are scanned only to evict
  // many.
  createTable: `CREATE TABLE missed (
    address TEXT PRIMARY KEY, count INTEGER NOT NULL, wait_until INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  read: `SELECT count, wait_until, last_at FROM missed WHERE address = ?`,
  write: `INSERT INTO missed (address, count, wait_until, last_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (address) DO UPDATE SET count = excluded.count, wait_until = excluded.wait_until,
    last_at = excluded.last_at`,
  rows: `SELECT count(*) AS rows FROM missed`,
  forget: `DELETE FROM missed WHERE last_at <= ?`,
  forgetOldest: `DELETE FROM missed WHERE address IN
    (SELECT address FROM missed ORDER BY last_at LIMIT ?)`,
  first: `SELECT min(last_at) AS first FROM missed`,
} as const;

/**
 * Number of rows evicted at once from a full table, so that it is not scanned for every new one.
 */
const EVICTED_ROWS = Math.ceil(LIMITS.missesKept / 16);

export class MissStore extends LazyTable {
  protected readonly create = SQL.createTable;
  /** Upper bound of the number of rows; counted once, because a count reads each of them. */
  #rowBound: number | null = null;

  read(address: string): Misses {
    const row = this.row(SQL.read, address);
    if (row === undefined) return NO_MISSES;
    return {
      count: Number(row["count"]),
      waitUntil: Number(row["wait_until"]),
      lastAt: Number(row["last_at"]),
    };
  }

  /** Evicts the oldest if there are too many. */
  write(address: string, { count, waitUntil, lastAt }: Misses): void {
    this.ensureTable();
    if (count === 1) this.#evictOldest(lastAt);
    this.run(SQL.write, address, count, waitUntil, lastAt);
  }

  #evictOldest(now: number): void {
    this.#rowBound ??= this.#rows();
    if (this.#rowBound >= LIMITS.missesKept) {
      this.run(SQL.forget, now - MISS_MEMORY_MS);
      this.#rowBound = this.#rows();
    }
    if (this.#rowBound >= LIMITS.missesKept) {
      this.run(SQL.forgetOldest, EVICTED_ROWS);
      this.#rowBound = this.#rows();
    }
    this.#rowBound += 1;
  }

  /** Deletes expired rows. Returns when the next one expires; null if none is left. */
  sweep(now: number): number | null {
    if (!this.exists()) return null;
    this.run(SQL.forget, now - MISS_MEMORY_MS);
    this.#rowBound = null;
    const first = this.run(SQL.first)[0]?.["first"];
    return typeof first === "number" ? first + MISS_MEMORY_MS : null;
  }

  #rows(): number {
    return Number(this.run(SQL.rows)[0]?.["rows"]);
  }
}
