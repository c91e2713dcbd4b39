/**
 * What stays of a purged session that was created with an Idempotency-Key: one row, so that the same
 * key cannot begin a second session. Sessions without a key leave nothing.
 */
import type { SqlPort } from "./sql-port";

const FIND_TABLE = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'`;

export const hasTombstone = (sql: SqlPort): boolean => sql.run(FIND_TABLE).length > 0;

/** Into storage that was emptied whole before: dropping tables would leave their bytes in the file. */
export function raiseTombstone(sql: SqlPort, now: number): void {
  sql.run(`CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY)`);
  sql.run(`INSERT INTO tombstone (purged_at) VALUES (?)`, now);
}
