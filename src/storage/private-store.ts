/**
 * Private values with their salts. All values of a session are in one row of a fixed size, so that
 * a change overwrites the old bytes in place: SQLite writes a record of the same size where it is,
 * but leaves the bytes of deleted or moved records in the file. Values that outgrow the row move to
 * one twice as large, and the old row is overwritten with spaces. Nothing else stores a value.
 */
import type { PrivateChange, PrivateValue } from "../domain/session/private-values";
import { LazyTable } from "./lazy-table";

/** Size of the first row: two pages, more than most forms need. */
const CAPACITY_BYTES = 8 * 1024;
/** JSON allows spaces at its end. */
const SPACE = 0x20;

const SQL = {
  create: `CREATE TABLE private_values (
    number INTEGER PRIMARY KEY, held BLOB NOT NULL
  )`,
  newest: `SELECT number, held FROM private_values ORDER BY number DESC LIMIT 1`,
  insert: `INSERT INTO private_values (number, held) VALUES (?, ?)`,
  overwrite: `UPDATE private_values SET held = ? WHERE number = ?`,
} as const;

type StoredValue = Omit<PrivateValue, "field">;

interface Row {
  readonly number: number;
  readonly capacity: number;
  readonly values: ReadonlyMap<string, StoredValue>;
}

export class PrivateStore extends LazyTable {
  protected readonly create = SQL.create;

  /** For a new session with private fields: a later write then costs only its row. */
  prepare(): void {
    this.ensureTable();
  }

  list(): readonly PrivateValue[] {
    return [...(this.#read()?.values ?? [])].map(([field, held]) => ({ field, ...held }));
  }

  change({ kept, dropped }: PrivateChange): void {
    const before = this.#read();
    if (before === null && kept.length === 0) return;
    const values = new Map(before?.values);
    for (const field of dropped) values.delete(field);
    for (const { field, ...held } of kept) values.set(field, held);
    this.ensureTable();
    const bytes = new TextEncoder().encode(JSON.stringify([...values]));
    if (before !== null && bytes.length <= before.capacity) {
      this.run(SQL.overwrite, padded(bytes, before.capacity), before.number);
      return;
    }
    let capacity = before?.capacity ?? CAPACITY_BYTES;
    while (capacity < bytes.length) capacity *= 2;
    const number = before?.number ?? 0;
    this.run(SQL.insert, number + 1, padded(bytes, capacity));
    if (before !== null) this.run(SQL.overwrite, padded(new Uint8Array(), before.capacity), number);
  }

  #read(): Row | null {
    const row = this.row(SQL.newest);
    if (row === undefined) return null;
    const held = new Uint8Array(row["held"] as ArrayBuffer | Uint8Array);
    const entries = JSON.parse(new TextDecoder().decode(held)) as readonly [string, StoredValue][];
    return { number: Number(row["number"]), capacity: held.length, values: new Map(entries) };
  }
}

function padded(bytes: Uint8Array, capacity: number): Uint8Array {
  const whole = new Uint8Array(capacity).fill(SPACE);
  whole.set(bytes);
  return whole;
}
