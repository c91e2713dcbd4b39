/**
 * What stays of a purged session that was created with an Idempotency-Key: one row, so that the same
 * key cannot begin a second session. Sessions without a key leave nothing.
 */
import { hasTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

export const hasTombstone = (sql: SqlPort): boolean => hasTable(sql, "tombstone");

/** Into storage that was emptied whole before: dropping tables would leave their bytes in the file. */
export function raiseTombstone(sql: SqlPort, now: number): void {
  sql.run(`CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY)`);
  sql.run(`INSERT INTO tombstone (purged_at) VALUES (?)`, now);
}
