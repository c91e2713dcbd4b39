/**
 * The two tables of one session, as an append-only list: a released entry is never edited. Run when
 * a session is created and, for older data, on the first accepted access; never for a refused
 * caller.
 */
import { NEWER_DATA } from "../domain/newer-data";
import { chainStart, linkTo } from "./chain";
import { hasTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

/**
 * A statement; or one for a table that its own store creates on demand: run only if the table
 * exists, because otherwise the store will create the current version; or a function for what no
 * statement can do.
 */
type Step =
  | string
  | { readonly where: string; readonly run: string }
  | ((sql: SqlPort, sessionId: string) => void);
export type Migration = readonly Step[];

/** As the first release created them. `added` has the later columns, for a new session only. */
const sessionTable = (added: string): string =>
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
      create_sealed BLOB${added}
    )`;

const commitsTable = (added: string): string =>
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
      ${added}events TEXT NOT NULL
    )`;

export const MIGRATIONS: readonly Migration[] = [
  [
    sessionTable(""),
    // `events` is last: finding a row by its other columns then reads no overflow page.
    commitsTable(""),
  ],
  [`ALTER TABLE commits ADD COLUMN log_bytes INTEGER NOT NULL DEFAULT 0`],
  [`ALTER TABLE session ADD COLUMN idle_ttl_ms INTEGER`],
  [
    `ALTER TABLE commits ADD COLUMN body_hash BLOB`,
    `ALTER TABLE commits ADD COLUMN chain BLOB`,
    linkOlderCommits,
  ],
  [`ALTER TABLE session ADD COLUMN request TEXT`],
  [`ALTER TABLE session ADD COLUMN news TEXT`],
  [`ALTER TABLE session ADD COLUMN belongs TEXT`, `ALTER TABLE session ADD COLUMN labels TEXT`],
  [`ALTER TABLE session ADD COLUMN location TEXT`],
];

/**
 * The result of all migrations, for a new session: its tables are created at once, a billed row for
 * each.
 */
const FRESH: Migration = [
  sessionTable(
    ", idle_ttl_ms INTEGER, request TEXT, news TEXT, belongs TEXT, labels TEXT, location TEXT",
  ),
  commitsTable("log_bytes INTEGER NOT NULL DEFAULT 0, body_hash BLOB, chain BLOB, "),
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const READ_VERSION = `SELECT schema_version FROM session WHERE id = 1`;
const WRITE_VERSION = `UPDATE session SET schema_version = ? WHERE id = 1`;

/** 0 for storage that holds no session. Writes nothing. */
export function storedVersion(sql: SqlPort): number {
  if (!hasTable(sql, "session")) return 0;
  return Number(sql.run(READ_VERSION)[0]?.["schema_version"] ?? 0);
}

/**
 * Migrates an older version, or an empty database: then the caller inserts the row that holds the
 * version. All in one transaction, so that a failed step leaves the old version intact. Data of a
 * newer release is not touched: this code cannot know what it means.
 */
export function migrate(
  sql: SqlPort,
  from: number,
  sessionId: string,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  if (from > migrations.length) {
    throw new Error(`${NEWER_DATA}: schema ${from}, and this code knows ${migrations.length}`);
  }
  if (from === migrations.length) return;
  sql.transaction(() => {
    const isNew = from === 0 && migrations === MIGRATIONS;
    for (const step of isNew ? FRESH : migrations.slice(from).flat()) {
      if (typeof step === "string") sql.run(step);
      else if (typeof step === "function") step(sql, sessionId);
      else if (hasTable(sql, step.where)) sql.run(step.run);
    }
    if (from > 0) sql.run(WRITE_VERSION, migrations.length);
  });
}

const UNLINKED = `SELECT first_seq, last_seq, participant, events FROM commits WHERE first_seq > ?
  ORDER BY first_seq LIMIT 64`;
const WRITE_LINK = `UPDATE commits SET body_hash = ?, chain = ? WHERE first_seq = ?`;

/** Computes the chain of a log from before the chain was introduced. Each row is rewritten once. */
function linkOlderCommits(sql: SqlPort, sessionId: string): void {
  let chain = chainStart(sessionId);
  for (let after = 0; ; ) {
    const rows = sql.run(UNLINKED, after);
    if (rows.length === 0) return;
    for (const row of rows) {
      const first = Number(row["first_seq"]);
      const link = linkTo(chain, sessionId, {
        first,
        last: Number(row["last_seq"]),
        participant: row["participant"] as number | null,
        lines: row["events"] as string,
      });
      sql.run(WRITE_LINK, link.bodyHash, link.chain, first);
      ({ chain } = link);
      after = first;
    }
  }
}
