/** How many wrong codes an address may try, and how long it then waits: twice as long each time. */
import { backoffMs, type Backoff } from "../backoff";

export interface Misses {
  readonly count: number;
  /** No code is looked up for the address before this time. */
  readonly waitUntil: number;
  readonly lastAt: number;
}

/** Honest mistakes are free; a walk is not. */
export const FREE_MISSES = 10;
const WAITS: Backoff = { baseMs: 1_000, maxMs: 60 * 60 * 1000, jitter: 0 };
/** After so long without a miss the count begins anew. */
export const MISS_MEMORY_MS = 24 * 60 * 60 * 1000;

/** The counters: a fixed number, so that addresses without end leave no storage without end. */
export const MISS_COUNTERS = 16;

/** The counter of an address, by its hash in base64url. */
export const missCounterName = (addressHash: string): string =>
  `misses/${(addressHash.codePointAt(0) ?? 0) % MISS_COUNTERS}`;

export const NO_MISSES: Misses = { count: 0, waitUntil: 0, lastAt: 0 };

export function afterMiss(misses: Misses, now: number): Misses {
  const count = (now - misses.lastAt >= MISS_MEMORY_MS ? 0 : misses.count) + 1;
  const beyond = count - FREE_MISSES;
  const waitMs = beyond < 0 ? 0 : backoffMs(WAITS, beyond + 1);
  return { count, waitUntil: now + waitMs, lastAt: now };
}

export const waitMsOf = ({ waitUntil }: Misses, now: number): number =>
  Math.max(0, waitUntil - now);
