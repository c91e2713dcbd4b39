/**
 * The two tables of one session, as an append-only list: a released entry is never edited. Run when a
 * session is created and, for older data, on the first accepted access; never for a stranger.
 */
import type { SqlPort } from "./sql-port";

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE session (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      state TEXT NOT NULL,
      paused INTEGER NOT NULL,
      version INTEGER NOT NULL,
      title TEXT,
      fields TEXT NOT NULL,
      field_meta TEXT NOT NULL,
      review TEXT NOT NULL,
      next_step TEXT,
      schema TEXT,
      created_at TEXT NOT NULL,
      created_by TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      retention_ms INTEGER NOT NULL,
      policy TEXT,
      parent TEXT,
      ended_at INTEGER,
      revoked TEXT NOT NULL,
      automation TEXT NOT NULL,
      children TEXT NOT NULL,
      checkpoints_made INTEGER NOT NULL,
      trimmed TEXT,
      participants TEXT NOT NULL,
      plan TEXT,
      create_request TEXT,
      create_sealed BLOB
    )`,
    // `events` stands last: finding a row by its other columns then reads no overflow page.
    `CREATE TABLE commits (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      participant INTEGER,
      actor TEXT NOT NULL,
      state TEXT NOT NULL,
      version INTEGER NOT NULL,
      trimmable INTEGER NOT NULL,
      job_seq INTEGER NOT NULL DEFAULT 0,
      issued TEXT,
      append_key TEXT,
      append_request TEXT,
      events TEXT NOT NULL
    )`,
  ],
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const FIND_TABLE = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session'`;
const READ_VERSION = `SELECT schema_version FROM session WHERE id = 1`;

/** 0 for storage that holds no session. Writes nothing. */
export function storedVersion(sql: SqlPort): number {
  if (sql.run(FIND_TABLE).length === 0) return 0;
  return Number(sql.run(READ_VERSION)[0]?.["schema_version"] ?? 0);
}

/** From an older version, or from nothing: then the caller inserts the row that holds the version. */
export function migrate(sql: SqlPort, from: number): void {
  for (const statement of MIGRATIONS.slice(from).flat()) sql.run(statement);
  if (from > 0) sql.run(`UPDATE session SET schema_version = ?`, SCHEMA_VERSION);
}
