/** The offers of one agent's queue, oldest first. The table is made with the first of them. */
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE offers (
    id INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  )`,
  known: `SELECT id FROM offers WHERE object_id = ? AND number = ? AND attempt = ?`,
  insert: `INSERT INTO offers (object_id, number, attempt) VALUES (?, ?, ?)`,
  list: `SELECT id, object_id, number FROM offers WHERE id > ? ORDER BY id LIMIT ?`,
  remove: `DELETE FROM offers WHERE id = ?`,
} as const;

export interface Offer {
  readonly id: number;
  readonly objectIdHex: string;
  readonly number: number;
}

const READ_AHEAD = 16;

export class OfferStore {
  readonly #sql: SqlPort;
  readonly #table: LazyTable;

  constructor(sql: SqlPort) {
    this.#sql = sql;
    this.#table = new LazyTable(sql, "offers", SQL.create);
  }

  /** False where the offer was known already. */
  add(objectIdHex: string, number: number, attempt: number): boolean {
    this.#table.make();
    if (this.#sql.run(SQL.known, objectIdHex, number, attempt).length > 0) return false;
    this.#sql.run(SQL.insert, objectIdHex, number, attempt);
    return true;
  }

  *all(): Generator<Offer> {
    if (!this.#table.exists()) return;
    for (let after = 0; ; ) {
      const rows = this.#sql.run(SQL.list, after, READ_AHEAD);
      for (const row of rows) {
        after = Number(row["id"]);
        yield { id: after, objectIdHex: String(row["object_id"]), number: Number(row["number"]) };
      }
      if (rows.length < READ_AHEAD) return;
    }
  }

  remove(id: number): void {
    if (this.#table.exists()) this.#sql.run(SQL.remove, id);
  }
}
