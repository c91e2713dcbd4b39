/** The misses of one address: one row, made with the first miss. */
import { NO_MISSES, type Misses } from "../domain/links/miss-limit";
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  createTable: `CREATE TABLE misses (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    count INTEGER NOT NULL,
    wait_until INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  )`,
  read: `SELECT count, wait_until, last_at FROM misses WHERE id = 1`,
  write: `INSERT INTO misses (id, count, wait_until, last_at) VALUES (1, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET count = excluded.count, wait_until = excluded.wait_until,
    last_at = excluded.last_at`,
} as const;

export class MissStore {
  readonly #sql: SqlPort;
  readonly #table: LazyTable;

  constructor(sql: SqlPort) {
    this.#sql = sql;
    this.#table = new LazyTable(sql, "misses", SQL.createTable);
  }

  read(): Misses {
    if (!this.#table.exists()) return NO_MISSES;
    const row = this.#sql.run(SQL.read)[0];
    if (row === undefined) return NO_MISSES;
    return {
      count: Number(row["count"]),
      waitUntil: Number(row["wait_until"]),
      lastAt: Number(row["last_at"]),
    };
  }

  write({ count, waitUntil, lastAt }: Misses): void {
    this.#table.make();
    this.#sql.run(SQL.write, count, waitUntil, lastAt);
  }
}
