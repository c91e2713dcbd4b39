/**
 * What a row cannot hold must be a clear refusal, not a failure of the platform. Thrown inside the
 * transaction, so that whatever was written before it is undone.
 */
import type { Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { SqlRow, SqlValue } from "./sql-port";

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

export class RowTooLarge extends Error {
  readonly failure: Failure;

  /** `used` of a total; without it what does not fit is one row. */
  constructor(what: string, limit: number, used?: number) {
    super("what is to be stored does not fit");
    const total = used === undefined ? {} : { used };
    this.failure = { code: "too_large", what: `${what}, in bytes`, limit, ...total };
  }
}

/** Returns about how large the row is, which is known anyway. */
export function assertFits(
  values: readonly SqlValue[],
  what: string,
  limit: number = LIMITS.rowBytes,
): number {
  let units = 0;
  for (const value of values) units += unitsOf(value);
  // Most rows are far below: then counting bytes exactly would be wasted work.
  if (units * BYTES_PER_UNIT <= limit) return units;
  const bytes = values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? utf8Bytes(value) : unitsOf(value)),
    0,
  );
  if (bytes > limit) throw new RowTooLarge(what, limit);
  return units;
}

export const unitsOf = (value: SqlRow[string]): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
