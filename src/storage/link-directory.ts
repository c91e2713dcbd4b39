/**
 * Maps codes to sessions: one row per code, under its hash. The table is created with the first
 * code, never by a lookup. Rows stay a while after their link has ended, so that its state can
 * still be shown.
 */
import { numberOrNull } from "./cells";
import { LazyTable } from "./lazy-table";

const SQL = {
  createTable: `CREATE TABLE codes (
    code TEXT PRIMARY KEY, object_id TEXT NOT NULL, participant INTEGER NOT NULL,
    keep_until INTEGER NOT NULL
  ) WITHOUT ROWID`,
  // A repeated call finds its row: nothing is written twice.
  insert: `INSERT INTO codes (code, object_id, participant, keep_until) VALUES (?, ?, ?, ?)
    ON CONFLICT (code) DO NOTHING`,
  find: `SELECT object_id, participant FROM codes WHERE code = ? AND keep_until > ?`,
  nextEnd: `SELECT MIN(keep_until) AS at FROM codes`,
  drop: `DELETE FROM codes WHERE keep_until <= ?`,
} as const;

export interface DirectoryEntry {
  readonly objectIdHex: string;
  readonly participant: number;
}

export class LinkDirectory extends LazyTable {
  protected readonly create = SQL.createTable;

  add(code: string, { objectIdHex, participant }: DirectoryEntry, keepUntil: number): void {
    this.ensureTable();
    this.run(SQL.insert, code, objectIdHex, participant, keepUntil);
  }

  find(code: string, now: number): DirectoryEntry | null {
    const row = this.row(SQL.find, code, now);
    return row === undefined
      ? null
      : { objectIdHex: String(row["object_id"]), participant: Number(row["participant"]) };
  }

  /** Deletes expired rows. Returns when the next one expires, or null if none is left. */
  sweep(now: number): number | null {
    if (!this.exists()) return null;
    this.run(SQL.drop, now);
    return numberOrNull(this.run(SQL.nextEnd)[0]?.["at"]);
  }
}
