/**
 * A table that is made with its first row, because every table costs two billed rows. That it is
 * absent is remembered: only this instance could make it. That it is there is asked each time,
 * because the transaction that made it may have been undone.
 */
import type { SqlPort, SqlRow, SqlValue } from "./sql-port";

const FIND = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`;

export class LazyTable implements SqlPort {
  readonly #sql: SqlPort;
  readonly #name: string;
  readonly #create: string;
  #isAbsent = false;

  constructor(sql: SqlPort, name: string, create: string) {
    this.#sql = sql;
    this.#name = name;
    this.#create = create;
  }

  exists(): boolean {
    if (!this.#isAbsent) this.#isAbsent = this.#sql.run(FIND, this.#name).length === 0;
    return !this.#isAbsent;
  }

  /** Makes it if it is not there. */
  make(): void {
    if (this.exists()) return;
    this.#isAbsent = false;
    this.#sql.run(this.#create);
  }

  /** No rows where it is not there. */
  rows(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.exists() ? this.run(sql, ...values) : [];
  }

  row(sql: string, ...values: readonly SqlValue[]): SqlRow | undefined {
    return this.rows(sql, ...values)[0];
  }

  /** For who knows that it is there. */
  run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
    return this.#sql.run(sql, ...values);
  }

  transaction<T>(body: () => T): T {
    return this.#sql.transaction(body);
  }
}
