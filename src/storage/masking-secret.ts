/** The secret with which an object masks its texts: one row, created with the first text. */
import { bytesOrNull } from "./cells";
import { LazyTable } from "./lazy-table";

const SECRET_BYTES = 32;

const SQL = {
  create: `CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL)`,
  read: `SELECT value FROM secret WHERE id = 1`,
  insert: `INSERT INTO secret (id, value) VALUES (1, ?)`,
} as const;

export class MaskingSecret extends LazyTable {
  protected readonly create = SQL.create;

  read(): Uint8Array | null {
    return bytesOrNull(this.row(SQL.read)?.["value"]);
  }

  readOrCreate(fillRandom: (bytes: Uint8Array) => Uint8Array): Uint8Array {
    const stored = this.read();
    if (stored !== null) return stored;
    const value = fillRandom(new Uint8Array(SECRET_BYTES));
    this.transaction(() => {
      this.ensureTable();
      this.run(SQL.insert, value);
    });
    return value;
  }
}
