/** The records of a session's files, in a table that is created with the first file. */
import type { Upload } from "../domain/files/upload";
import { columnsOf, jsonOrNull, plain } from "./columns";
import { LazyTable } from "./lazy-table";

const COLUMNS = columnsOf<Upload>({
  number: plain("number"),
  field: plain("field"),
  name: plain("name"),
  type: plain("type"),
  size: plain("size"),
  sha256: plain("sha256"),
  status: plain("status"),
  requestedAt: plain("requested_at"),
  stored: jsonOrNull("stored"),
});

const SQL = {
  create: `CREATE TABLE uploads (
    number INTEGER PRIMARY KEY, field TEXT, name TEXT NOT NULL, type TEXT NOT NULL,
    size INTEGER NOT NULL, sha256 TEXT, status TEXT NOT NULL, requested_at INTEGER NOT NULL,
    stored TEXT
  )`,
  list: `SELECT ${COLUMNS.names.join()} FROM uploads ORDER BY number`,
  save: `INSERT INTO uploads (${COLUMNS.names.join()}) VALUES (${COLUMNS.marks})
    ON CONFLICT (number) DO UPDATE SET sha256 = excluded.sha256, status = excluded.status,
    stored = excluded.stored`,
} as const;

export class UploadStore extends LazyTable {
  protected readonly create = SQL.create;

  list(): readonly Upload[] {
    return this.rows(SQL.list).map(COLUMNS.read);
  }

  save(upload: Upload): void {
    this.ensureTable();
    this.run(SQL.save, ...COLUMNS.values(upload));
  }
}
