/**
 * The little of SQL that the stores need, synchronous, so that the same statements run on the
 * object's SQLite and on any other in a contract test.
 */
export type SqlValue = null | number | string | Uint8Array;
export type SqlRow = Readonly<Record<string, null | number | string | ArrayBuffer | Uint8Array>>;

export interface SqlPort {
  run(sql: string, ...values: readonly SqlValue[]): readonly SqlRow[];
  /** All or nothing. The body must not be asynchronous: its writes would escape the rollback. */
  transaction<T>(body: () => T): T;
}
