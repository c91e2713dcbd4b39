/** What is known of a session's files, in a table that is made with the first of them. */
import type { Upload } from "../domain/files/upload";
import { jsonCellOrNull, jsonText } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  create: `CREATE TABLE uploads (
    number INTEGER PRIMARY KEY,
    field TEXT,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT,
    status TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    stored TEXT
  )`,
  list: `SELECT number, field, name, type, size, sha256, status, requested_at, stored
    FROM uploads ORDER BY number`,
  save: `INSERT INTO uploads (number, field, name, type, size, sha256, status, requested_at, stored)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (number) DO UPDATE SET sha256 = excluded.sha256, status = excluded.status,
    stored = excluded.stored`,
} as const;

export class UploadStore extends LazyTable {
  protected readonly create = SQL.create;

  list(): readonly Upload[] {
    return this.rows(SQL.list).map(toUpload);
  }

  save(upload: Upload): void {
    this.make();
    const { number, field, name, type, size, sha256, status, requestedAt, stored } = upload;
    const where = jsonText(stored);
    this.run(SQL.save, number, field, name, type, size, sha256, status, requestedAt, where);
  }
}

const toUpload = (row: SqlRow): Upload => ({
  number: Number(row["number"]),
  field: row["field"] as string | null,
  name: String(row["name"]),
  type: String(row["type"]),
  size: Number(row["size"]),
  sha256: row["sha256"] as string | null,
  status: row["status"] as Upload["status"],
  requestedAt: Number(row["requested_at"]),
  stored: jsonCellOrNull(row["stored"]),
});
