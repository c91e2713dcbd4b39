/**
 * Codes that were used to open the console: only their hashes, and only until the codes would have
 * expired.
 */
import { LazyTable } from "./lazy-table";

const SQL = {
  create: `CREATE TABLE entries (hash TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID`,
  find: `SELECT 1 FROM entries WHERE hash = ?`,
  insert: `INSERT INTO entries (hash, until) VALUES (?, ?)`,
  drop: `DELETE FROM entries WHERE until <= ?`,
} as const;

export class RedeemedCodeStore extends LazyTable {
  protected readonly create = SQL.create;

  /** True for the first caller with this code. */
  redeem(hash: string, until: number, now: number): boolean {
    return this.transaction(() => {
      this.ensureTable();
      if (this.run(SQL.find, hash).length > 0) return false;
      this.run(SQL.drop, now);
      this.run(SQL.insert, hash, until);
      return true;
    });
  }
}
