/** How long to wait before trying again. */
export interface Backoff {
  /** First wait; doubled each time. */
  readonly baseMs: number;
  /** The longest wait between attempts. */
  readonly maxMs: number;
  /** A share of the wait, from 0 to 1, that chance adds or takes: many do not come back at once. */
  readonly jitter: number;
}

/** min(base · 2^(n-1), max), plus or minus the jitter, never above max. */
export function backoffMs({ baseMs, maxMs, jitter }: Backoff, attempt: number, dice = 0): number {
  const wait = Math.min(baseMs * 2 ** (attempt - 1), maxMs);
  return Math.min(Math.round(wait * (1 + jitter * (2 * dice - 1))), maxMs);
}
