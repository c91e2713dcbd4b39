/**
 * How much of something is tried: a short pass in `npm test`, the whole in `npm run test:all`, which
 * sets BATON_TESTS=all (`npm test` sets quick). Both are seeded or
 * written out, or say with which seed they failed, so that a failure can be repeated.
 */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isWhole: boolean;
  }
}

export const isWhole = inject("isWhole");

/** The whole list, or in `npm test` those of its places that are named. */
export const someOf = <T>(all: readonly T[], ...places: readonly number[]): readonly T[] =>
  isWhole ? all : all.filter((_, place) => places.includes(place));

/** For what fast-check draws: the same each time in `npm test`, other than before in the whole. */
export const drawn = (numRuns: number): { numRuns: number; seed?: number } =>
  isWhole ? { numRuns } : { numRuns, seed: 20261 };

export const scaled = (quick: number, whole: number): number => (isWhole ? whole : quick);
