/**
 * A table that is made with its first row, because every table costs two billed rows. That it is
 * absent is remembered: only this instance could make it. That it is there is asked each time,
 * because the transaction that made it may have been undone. A store is such a table.
 */
import type { SqlPort, SqlRow, SqlValue } from "./sql-port";

const FIND = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`;

export const hasTable = (sql: SqlPort, name: string): boolean => sql.run(FIND, name).length > 0;

export abstract class LazyTable {
  /** What makes it. Other tables and indexes that are made with it follow. */
  protected abstract readonly create: string | readonly string[];
  readonly #sql: SqlPort;
  #isAbsent = false;

  constructor(sql: SqlPort) {
    this.#sql = sql;
  }

  exists(): boolean {
    if (this.#isAbsent) return false;
    const [, name = ""] = /^CREATE TABLE (\w+)/.exec([this.create].flat()[0] ?? "") ?? [];
    this.#isAbsent = !hasTable(this.#sql, name);
    return !this.#isAbsent;
  }

  /** Makes it if it is not there. */
  protected ensureTable(): void {
    if (this.exists()) return;
    this.#isAbsent = false;
    for (const statement of [this.create].flat()) this.#sql.run(statement);
  }

  /** No rows where it is not there. */
  protected rows(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.exists() ? this.run(sql, ...values) : [];
  }

  protected row(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined {
    return this.rows(sql, ...values)[0];
  }

  /** For who knows that it is there. */
  protected run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.#sql.run(sql, ...values);
  }

  transaction<T>(body: () => T): T {
    return this.#sql.transaction(body);
  }
}
