/**
 * How much of something is tried: a short pass in `npm test`, the whole in `npm run test:all`, which
 * sets BATON_TESTS=all. Both are seeded or written out, so that a failure can be repeated.
 */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isWhole: boolean;
  }
}

export const isWhole = inject("isWhole");

export const scaled = (quick: number, whole: number): number => (isWhole ? whole : quick);
