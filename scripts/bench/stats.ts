/** Summary statistics of rounds. */

/** The quantile `q` of the numbers, or 0 if there are none. */
export function quantile(numbers: readonly number[], q: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(q * sorted.length), sorted.length - 1)] ?? 0;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** The median with the minimum and the maximum. */
export interface Spread {
  readonly middle: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(numbers: readonly number[]): Spread {
  return { middle: median(numbers), low: quantile(numbers, 0), high: quantile(numbers, 1) };
}
