/**
 * A table that is created with its first row, because every table costs two billed rows. Its
 * absence is cached: only this instance could create it. Its presence is checked each time, because
 * the transaction that created it may have been rolled back. Most stores extend it.
 */
import type { SqlPort, SqlRow, SqlValue } from "./sql-port";

const FIND = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`;

export const hasTable = (sql: SqlPort, name: string): boolean => sql.run(FIND, name).length > 0;

export abstract class LazyTable {
  /**
   * The statement that creates it. Statements for other tables and indexes that are created with it
   * follow.
   */
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

  protected ensureTable(): void {
    if (this.exists()) return;
    this.#isAbsent = false;
    for (const statement of [this.create].flat()) this.#sql.run(statement);
  }

  /** No rows if the table does not exist. */
  protected rows(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.exists() ? this.run(sql, ...values) : [];
  }

  protected row(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined {
    return this.rows(sql, ...values)[0];
  }

  /** Only if the table is known to exist. */
  protected run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.#sql.run(sql, ...values);
  }

  transaction<T>(body: () => T): T {
    return this.#sql.transaction(body);
  }
}
