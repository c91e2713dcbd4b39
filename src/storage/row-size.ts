/**
 * What a row cannot hold must be a clear refusal, not a failure of the platform. Thrown inside the
 * transaction, so that whatever was written before it is undone.
 */
import type { Failure } from "../domain/failure";
import { utf8Bytes } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { SqlValue } from "./sql-port";

/** A UTF-16 unit takes at most three bytes in UTF-8. */
const BYTES_PER_UNIT = 3;

export class RowTooLarge extends Error {
  readonly failure: Failure;

  constructor(what: string) {
    super("a row would be larger than the platform allows");
    this.failure = { code: "too_large", what: `${what}, in bytes`, limit: LIMITS.rowBytes };
  }
}

export function assertFits(values: readonly SqlValue[], what: string): void {
  const units = values.reduce<number>((sum, value) => sum + unitsOf(value), 0);
  // Most rows are far below: then counting bytes exactly would be wasted work.
  if (units * BYTES_PER_UNIT <= LIMITS.rowBytes) return;
  const bytes = values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? utf8Bytes(value) : unitsOf(value)),
    0,
  );
  if (bytes > LIMITS.rowBytes) throw new RowTooLarge(what);
}

const unitsOf = (value: SqlValue): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
