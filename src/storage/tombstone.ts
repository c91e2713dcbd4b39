/**
 * What stays of a purged session that was created with an Idempotency-Key or an external id: one
 * row, so that the same key cannot create a second session. Other sessions leave nothing.
 */
import type { RequestHash } from "../domain/ids";
import { hasTable } from "./lazy-table";
import type { SqlPort } from "./sql-port";

const SQL = {
  create: `CREATE TABLE tombstone (purged_at INTEGER PRIMARY KEY, request TEXT)`,
  raise: `INSERT INTO tombstone (purged_at, request) VALUES (?, ?)`,
  // All columns: a tombstone of an older release has no `request`.
  read: `SELECT * FROM tombstone`,
} as const;

export interface Tombstone {
  /** The request that created the purged session, if it came with a key. */
  readonly request: RequestHash | null;
}

export const readTombstone = (sql: SqlPort): Tombstone | null =>
  hasTable(sql, "tombstone")
    ? { request: (sql.run(SQL.read)[0]?.["request"] ?? null) as RequestHash | null }
    : null;

/** Requires emptied storage: dropping tables would leave their bytes in the file. */
export function writeTombstone(sql: SqlPort, now: number, request: RequestHash | null): void {
  sql.run(SQL.create);
  sql.run(SQL.raise, now, request);
}
