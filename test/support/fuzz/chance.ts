/** Chance that can be repeated, with the few questions a generator asks of it. */
import { seeded } from "../seeded.ts";

export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** True about so often. */
  is(probability: number): boolean {
    return this.#next() < probability;
  }

  /** 0 to below the bound. */
  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new Error("there is nothing to choose from");
    return chosen;
  }

  times<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}
