/** The object's SQLite behind the port. Counts the billed rows. */
import type { SqlPort, SqlRow, SqlValue } from "../storage/sql-port";

export interface Meter {
  rowsRead: number;
  rowsWritten: number;
}

export function openStorage(storage: DurableObjectStorage, meter: Meter): SqlPort {
  return {
    run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
      const cursor = storage.sql.exec(sql, ...values);
      const rows = cursor.toArray() as SqlRow[];
      meter.rowsRead += cursor.rowsRead;
      meter.rowsWritten += cursor.rowsWritten;
      return rows;
    },
    transaction<T>(body: () => T): T {
      return storage.transactionSync(() => {
        const result = body();
        // The platform accepts an async body and commits before it is done.
        if (result instanceof Promise) throw new Error("a transaction body must be synchronous");
        return result;
      });
    },
  };
}
