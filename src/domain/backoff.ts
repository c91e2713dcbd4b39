/** The waits between repeated attempts. */
export interface Backoff {
  /** The first wait. Each later wait is twice as long. */
  readonly baseMs: number;
  /** The longest wait between attempts. */
  readonly maxMs: number;
  /**
   * The random share of the wait, from 0 to 1. It keeps many clients from retrying at the same
   * moment.
   */
  readonly jitter: number;
}

/** min(base · 2^(n-1), max), plus or minus the jitter, never above max. */
export function backoffMs({ baseMs, maxMs, jitter }: Backoff, attempt: number, random = 0): number {
  const wait = Math.min(baseMs * 2 ** (attempt - 1), maxMs);
  return Math.min(Math.round(wait * (1 + jitter * (2 * random - 1))), maxMs);
}
