/** The secret that an object masks its texts with: one row, made with the first of them. */
import { LazyTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL)`,
  read: `SELECT value FROM secret WHERE id = 1`,
  insert: `INSERT INTO secret (id, value) VALUES (1, ?)`,
} as const;

export class MaskingSecret {
  readonly #sql: SqlPort;
  readonly #table: LazyTable;

  constructor(sql: SqlPort) {
    this.#sql = sql;
    this.#table = new LazyTable(sql, "secret", SQL.create);
  }

  read(): Uint8Array | null {
    const value = this.#table.exists() ? this.#sql.run(SQL.read)[0]?.["value"] : undefined;
    if (value == null) return null;
    return value instanceof Uint8Array ? value : new Uint8Array(value as ArrayBuffer);
  }

  keep(value: Uint8Array): void {
    this.#sql.transaction(() => {
      this.#table.make();
      this.#sql.run(SQL.insert, value);
    });
  }
}
