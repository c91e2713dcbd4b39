/**
 * What stays of a purged session that was created with an Idempotency-Key: one row, so that the same
 * key cannot begin a second session. Sessions without a key leave nothing.
 */
import type { SqlPort } from "./sql-port";

const FIND_TABLE = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'`;

export const hasTombstone = (sql: SqlPort): boolean => sql.run(FIND_TABLE).length > 0;

/** Inside the caller's transaction: the session's tables go and the stone stands, or neither. */
export function buryWithTombstone(sql: SqlPort, now: number): void {
  for (const table of ["commits", "session", "checkpoints", "uploads", "jobs"]) {
    sql.run(`DROP TABLE IF EXISTS ${table}`);
  }
  sql.run(`CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY)`);
  sql.run(`INSERT INTO tombstone (purged_at) VALUES (?)`, now);
}
