/**
 * A row that is too large must be a clear refusal, not a failure of the platform. Thrown inside the
 * transaction, so that everything written before is rolled back.
 */
import type { Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { SqlRow, SqlValue } from "./sql-port";

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

export class RowTooLarge extends Error {
  readonly failure: Failure;

  /** `used` is set if a total is exceeded, and absent for a single row. */
  constructor(what: string, limit: number, used?: number) {
    super("what is to be stored does not fit");
    const total = used === undefined ? {} : { used };
    this.failure = { code: "too_large", what: `${what}, in bytes`, limit, ...total };
  }
}

/** Returns the approximate size of the row, which is known anyway. */
export function assertFits(
  values: readonly SqlValue[],
  what: string,
  limit: number = LIMITS.rowBytes,
): number {
  let units = 0;
  for (const value of values) units += unitsOf(value);
  // Most rows are far below the limit: counting bytes exactly would be wasted work.
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
