/** An owner's templates: the newest version of each name, and the definitions of the versions. */
import { numberOrNull } from "./cells";
import { LazyTable } from "./lazy-table";
import type { SqlRow } from "./sql-port";

const SQL = {
  names: `CREATE TABLE templates (name TEXT PRIMARY KEY, version INTEGER NOT NULL, retired_at INTEGER) WITHOUT ROWID`,
  versions: `CREATE TABLE template_versions (name TEXT NOT NULL, version INTEGER NOT NULL, definition TEXT NOT NULL,
    created_at INTEGER NOT NULL, created_by TEXT NOT NULL, PRIMARY KEY (name, version)) WITHOUT ROWID`,
  count: `SELECT COUNT(*) AS n FROM templates`,
  newest: `SELECT version, retired_at FROM templates WHERE name = ?`,
  list: `SELECT t.name, t.version, t.retired_at, v.created_at, v.created_by
    FROM templates t JOIN template_versions v ON v.name = t.name AND v.version = t.version
    WHERE t.retired_at IS NULL ORDER BY t.name`,
  get: `SELECT t.name, v.version, t.retired_at, v.created_at, v.created_by, v.definition
    FROM templates t JOIN template_versions v ON v.name = t.name WHERE t.name = ? AND v.version = ?`,
  keep: `INSERT INTO templates (name, version) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, retired_at = NULL`,
  add: `INSERT INTO template_versions (name, version, definition, created_at, created_by) VALUES (?, ?, ?, ?, ?)`,
  forget: `DELETE FROM template_versions WHERE name = ? AND version <= ?`,
  retire: `UPDATE templates SET retired_at = ? WHERE name = ? AND retired_at IS NULL`,
} as const;

export interface TemplateRow {
  readonly name: string;
  readonly version: number;
  readonly createdAt: number;
  /** The name of the key that put it. */
  readonly createdBy: string;
  readonly retiredAt: number | null;
}

export interface StoredTemplate extends TemplateRow {
  /** JSON, as text. */
  readonly definition: string;
}

export class TemplateStore extends LazyTable {
  protected readonly create = [SQL.names, SQL.versions];

  count(): number {
    return Number(this.row(SQL.count)?.["n"] ?? 0);
  }

  list(): readonly TemplateRow[] {
    return this.rows(SQL.list).map(rowOf);
  }

  /** The newest version if none is given; also of a retired template. */
  get(name: string, version: number | null): StoredTemplate | null {
    if (!this.exists()) return null;
    const target = version ?? this.run(SQL.newest, name)[0]?.["version"];
    const row = this.run(SQL.get, name, Number(target ?? 0))[0];
    return row === undefined ? null : { ...rowOf(row), definition: String(row["definition"]) };
  }

  /** Adds the next version. The oldest beyond the limit are deleted; no session needs them. */
  add(name: string, definition: string, by: string, limit: number, now: number): StoredTemplate {
    return this.transaction(() => {
      this.ensureTable();
      const version = Number(this.run(SQL.newest, name)[0]?.["version"] ?? 0) + 1;
      this.run(SQL.keep, name, version);
      this.run(SQL.add, name, version, definition, now, by);
      if (version > limit) this.run(SQL.forget, name, version - limit);
      return { name, version, definition, createdAt: now, createdBy: by, retiredAt: null };
    });
  }

  retire(name: string, now: number): void {
    this.transaction(() => this.run(SQL.retire, now, name));
  }
}

const rowOf = (row: SqlRow): TemplateRow => ({
  name: String(row["name"]),
  version: Number(row["version"]),
  createdAt: Number(row["created_at"]),
  createdBy: String(row["created_by"]),
  retiredAt: numberOrNull(row["retired_at"]),
});
