/** Conversions of single cells of a row. */
import type { SqlRow } from "./sql-port";

export type Cell = SqlRow[string];

export const jsonCell = <T>(cell: Cell): T => JSON.parse(cell as string) as T;

export const jsonCellOrNull = <T>(cell: Cell | undefined): T | null =>
  typeof cell === "string" ? jsonCell<T>(cell) : null;

export const jsonText = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

export function bytesOrNull(cell: Cell | undefined): Uint8Array | null {
  if (cell instanceof Uint8Array) return cell;
  return cell instanceof ArrayBuffer ? new Uint8Array(cell) : null;
}

export const numberOrNull = (cell: Cell | undefined): number | null =>
  typeof cell === "number" ? cell : null;
