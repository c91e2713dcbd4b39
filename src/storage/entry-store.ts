/** Codes that opened the console: only their hashes, and only until they would have ended anyway. */
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE entries (hash TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID`,
  find: `SELECT 1 FROM entries WHERE hash = ?`,
  insert: `INSERT INTO entries (hash, until) VALUES (?, ?)`,
  drop: `DELETE FROM entries WHERE until <= ?`,
} as const;

export class EntryStore {
  readonly #table: LazyTable;

  constructor(sql: SqlPort) {
    this.#table = new LazyTable(sql, "entries", SQL.create);
  }

  /** True for the first who comes with it. */
  redeem(hash: string, until: number, now: number): boolean {
    return this.#table.transaction(() => {
      this.#table.make();
      if (this.#table.run(SQL.find, hash).length > 0) return false;
      this.#table.run(SQL.drop, now);
      this.#table.run(SQL.insert, hash, until);
      return true;
    });
  }
}
