/** Repeatable randomness: the same seed gives the same choices, independent of timing. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Both ends are included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.between(0, choices.length - 1)];
    if (choice === undefined) throw new Error("there is nothing to choose from");
    return choice;
  }

  /** One of the names, each as often as its weight says. */
  weighted(weights: Readonly<Record<string, number>>): string {
    let left = this.next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
    for (const [name, weight] of Object.entries(weights)) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new Error("there is nothing to choose from");
  }

  /** A separate sequence, so that one actor's choices do not depend on how often others choose. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}

/** BATON_SEED repeats a run that failed. */
export const seedFor = (fallback: number): number =>
  Number(globalThis.process?.env["BATON_SEED"] ?? fallback);

/** Runs with a seed and names it in the error if the run fails. */
export async function withSeed<T>(seed: number, run: (random: Random) => Promise<T>): Promise<T> {
  try {
    return await run(new Random(seed));
  } catch (error) {
    console.error(`This was seed ${seed}. To repeat it: BATON_SEED=${seed}`);
    throw error;
  }
}
