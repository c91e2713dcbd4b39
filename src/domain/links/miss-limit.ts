/**
 * How many wrong codes an address may try, and how long it then has to wait. Each wait is twice as
 * long.
 */
import { backoffMs, type Backoff } from "../backoff";

export interface Misses {
  readonly count: number;
  /** No code is looked up for the address before this time. */
  readonly waitUntil: number;
  readonly lastAt: number;
}

/** Enough for honest mistakes, too few to guess codes. */
export const FREE_MISSES = 10;
const BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60 * 60 * 1000, jitter: 0 };
/** The count restarts after this time without a miss. */
export const MISS_MEMORY_MS = 24 * 60 * 60 * 1000;

/**
 * A fixed number of counters, so that an unlimited number of addresses cannot use unlimited
 * storage.
 */
export const MISS_COUNTERS = 16;

/** The counter of an address, chosen by its base64url hash. */
export const missCounterName = (addressHash: string): string =>
  `misses/${(addressHash.codePointAt(0) ?? 0) % MISS_COUNTERS}`;

export const NO_MISSES: Misses = { count: 0, waitUntil: 0, lastAt: 0 };

export function afterMiss(misses: Misses, now: number): Misses {
  const count = (now - misses.lastAt >= MISS_MEMORY_MS ? 0 : misses.count) + 1;
  const excess = count - FREE_MISSES;
  const waitMs = excess < 0 ? 0 : backoffMs(BACKOFF, excess + 1);
  return { count, waitUntil: now + waitMs, lastAt: now };
}

export const waitMsOf = ({ waitUntil }: Misses, now: number): number =>
  Math.max(0, waitUntil - now);
