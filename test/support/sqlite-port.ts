/** The storage port on node:sqlite: the same statements as in the object, without the platform. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlPort, SqlRow, SqlValue } from "../../src/storage/sql-port";

export function openSqlite(): SqlPort {
  const database = new DatabaseSync(":memory:");
  const statements = new Map<string, StatementSync>();

  function prepared(sql: string): StatementSync {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
      return prepared(sql).all(...values) as unknown as SqlRow[];
    },
    transaction<T>(body: () => T): T {
      database.exec("SAVEPOINT body");
      try {
        const result = body();
        if (result instanceof Promise) throw new Error("a transaction body must be synchronous");
        database.exec("RELEASE body");
        return result;
      } catch (error) {
        database.exec("ROLLBACK TO body");
        database.exec("RELEASE body");
        throw error;
      }
    },
  };
}
