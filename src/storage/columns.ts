/**
 * The columns of a table: for each member of a row's value, the name of its column and the
 * conversion in both directions. Statements are built from the names, so that a new member is one
 * line.
 */
import { jsonCell, jsonCellOrNull, type Cell } from "./cells";
import type { SqlRow, SqlValue } from "./sql-port";

interface Column<Value> {
  readonly name: string;
  /** Is it written once, at creation? */
  readonly isFixed: boolean;
  readonly write: (value: Value) => SqlValue;
  readonly read: (cell: Cell) => Value;
}

const column = <Value>(
  name: string,
  write: Column<Value>["write"],
  read: Column<Value>["read"],
): Column<Value> => ({ name, isFixed: false, write, read });

/** A text or a number that is stored as it is. */
export const plain = <Value extends string | number | null>(name: string): Column<Value> =>
  column(
    name,
    (value) => value,
    (cell) => cell as Value,
  );

export const json = <Value extends object>(name: string): Column<Value> =>
  column(name, JSON.stringify, jsonCell<Value>);

export const jsonOrNull = <Value extends object>(name: string): Column<Value | null> =>
  column(name, (value) => (value === null ? null : JSON.stringify(value)), jsonCellOrNull<Value>);

export const flag = (name: string): Column<boolean> => column(name, Number, (cell) => cell === 1);

/** A map that is NULL while it has no members: most sessions have no labels. */
export const sparseMap = <Value extends object>(name: string, empty: Value): Column<Value> =>
  column(
    name,
    (value) => (Object.keys(value).length === 0 ? null : JSON.stringify(value)),
    (cell) => jsonCellOrNull<Value>(cell) ?? empty,
  );

export const fixed = <Value>(one: Column<Value>): Column<Value> => ({ ...one, isFixed: true });

export type ColumnsOf<T> = { readonly [Member in keyof T]-?: Column<T[Member]> };

export function columnsOf<T extends object>(columns: ColumnsOf<T>) {
  const all = Object.entries(columns) as [keyof T, Column<unknown>][];
  const names = all.map(([, { name }]) => name);
  return {
    names,
    /** One placeholder per column. */
    marks: names.map(() => "?").join(),
    /** Assignments for an UPDATE. */
    set: names.map((name) => `${name} = ?`).join(),
    /** In the order of the names. */
    values: (value: T): readonly SqlValue[] =>
      all.map(([member, { write }]) => write(value[member])),
    read: (row: SqlRow): T =>
      Object.fromEntries(
        all.map(([member, { name, read }]) => [member, read(row[name] ?? null)]),
      ) as T,
  };
}
