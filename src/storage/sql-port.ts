/**
 * The SQL interface that the stores need. It is synchronous, so that the same statements run on the
 * object's SQLite and on another one in a contract test.
 */
export type SqlValue = null | number | string | Uint8Array;
export type SqlRow = Readonly<Record<string, null | number | string | ArrayBuffer | Uint8Array>>;

export interface SqlPort {
  run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** Atomic. The body must not be asynchronous: its writes would escape the rollback. */
  transaction<T>(body: () => T): T;
}
