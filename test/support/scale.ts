/**
 * How much a test covers: a short pass in `npm test`, everything in `npm run test:all`, which sets
 * BATON_TESTS=all (`npm test` sets quick). Both are fixed or seeded, or report the seed of a failure,
 * so that it can be repeated.
 */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isWhole: boolean;
  }
}

export const isWhole = inject("isWhole");

/** The whole list, or in `npm test` only the entries at these indexes. */
export const someOf = <T>(all: readonly T[], ...indexes: readonly number[]): readonly T[] =>
  isWhole ? all : all.filter((_, index) => indexes.includes(index));

/** The seed of fast-check: fixed in `npm test`, random in `npm run test:all`. */
export const drawn = (numRuns: number): { numRuns: number; seed?: number } =>
  isWhole ? { numRuns } : { numRuns, seed: 20261 };

export const scaled = (quick: number, whole: number): number => (isWhole ? whole : quick);
