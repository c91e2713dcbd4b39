/**
 * What stays of a purged session that was created with an Idempotency-Key or under a name of its
 * owner's: one row, so that the same key cannot begin a second session. Others leave nothing.
 */
import type { RequestHash } from "../domain/ids";
import { hasTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY, request TEXT)`,
  raise: `INSERT INTO tombstone (purged_at, request) VALUES (?, ?)`,
  // All of them: a tombstone from before requests were kept has no such column.
  read: `SELECT * FROM tombstone`,
} as const;

export interface Tombstone {
  /** What began the session that was here, if it came with a key. */
  readonly request: RequestHash | null;
}

export const readTombstone = (sql: SqlPort): Tombstone | null =>
  hasTable(sql, "tombstone")
    ? { request: (sql.run(SQL.read)[0]?.["request"] ?? null) as RequestHash | null }
    : null;

/** Into storage that was emptied whole before: dropping tables would leave their bytes in the file. */
export function writeTombstone(sql: SqlPort, now: number, request: RequestHash | null): void {
  sql.run(SQL.create);
  sql.run(SQL.raise, now, request);
}
