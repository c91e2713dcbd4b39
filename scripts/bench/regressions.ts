/**
 * The guard against getting slower: what this run found beside what is kept in the repository. A ratio
 * has fallen if it lies below the kept one by more than the noise between rounds. What a call asks of
 * the heap does not depend on how busy the machine is, so there little is taken for noise.
 */
import type { Spread } from "./stats.ts";

interface BaselineRatio {
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  /** Kilobytes of the heap for a call. */
  readonly allocatedKb?: number;
}

export type BaselineRatios = Readonly<Record<string, BaselineRatio>>;

interface Regression {
  readonly name: string;
  readonly what: "throughput" | "CPU time" | "allocations";
  readonly baseline: number;
  readonly now: number;
  /** The share of the kept ratio that may be lost without a word. */
  readonly tolerance: number;
}

/** Even quiet machines differ by this much between two runs. */
const MIN_TOLERANCE = 0.1;
/** Batches of calls differ by a few hundredths, and starts by some more. */
const ALLOCATION_TOLERANCE = 0.15;
/** A machine so unsteady that half is within its noise guards nothing; then the fall is said. */
const MAX_TOLERANCE = 0.4;

const halfWidth = ({ middle, low, high }: Spread): number =>
  middle === 0 ? 0 : (high - low) / 2 / middle;

function toleranceOf(kept: Spread, now: Spread): number {
  const noise = Math.max(halfWidth(kept), halfWidth(now));
  return Math.min(Math.max(MIN_TOLERANCE, noise), MAX_TOLERANCE);
}

function ratioDrop(
  kept: Spread,
  now: Spread,
): Pick<Regression, "baseline" | "now" | "tolerance"> | null {
  const tolerance = toleranceOf(kept, now);
  const hasFallen = now.middle < kept.middle * (1 - tolerance);
  return hasFallen ? { baseline: kept.middle, now: now.middle, tolerance } : null;
}

function allocationRise(
  baseline: number | undefined,
  now: number | undefined,
): Pick<Regression, "baseline" | "now" | "tolerance"> | null {
  if (baseline === undefined || now === undefined) return null;
  const tolerance = ALLOCATION_TOLERANCE;
  return now > baseline * (1 + tolerance) ? { baseline, now, tolerance } : null;
}

/** Workloads that were not kept, or not run, are not judged. */
export function findRegressions(
  kept: BaselineRatios,
  rows: readonly ({ readonly name: string } & BaselineRatio)[],
): readonly Regression[] {
  return rows.flatMap((row): Regression[] => {
    const before = kept[row.name];
    if (before === undefined) return [];
    const throughput = ratioDrop(before.ratio, row.ratio);
    const cpu = ratioDrop(before.cpuRatio, row.cpuRatio);
    const allocated = allocationRise(before.allocatedKb, row.allocatedKb);
    return [
      ...(throughput === null
        ? []
        : [{ name: row.name, what: "throughput" as const, ...throughput }]),
      ...(cpu === null ? [] : [{ name: row.name, what: "CPU time" as const, ...cpu }]),
      ...(allocated === null
        ? []
        : [{ name: row.name, what: "allocations" as const, ...allocated }]),
    ];
  });
}

const rounded = ({ middle, low, high }: Spread): Spread => ({
  middle: round(middle),
  low: round(low),
  high: round(high),
});
const round = (number: number): number => Math.round(number * 1000) / 1000;

export const baselineRatiosOf = (
  rows: readonly ({ readonly name: string } & BaselineRatio)[],
): BaselineRatios =>
  Object.fromEntries(
    rows.map(({ name, ratio, cpuRatio, allocatedKb }) => [
      name,
      {
        ratio: rounded(ratio),
        cpuRatio: rounded(cpuRatio),
        ...(allocatedKb === undefined ? {} : { allocatedKb: round(allocatedKb) }),
      },
    ]),
  );

export const describeRegression = ({
  name,
  what,
  baseline,
  now,
  tolerance,
}: Regression): string => {
  const noise = `${Math.round(tolerance * 100)} % would be noise`;
  const change = Math.round(Math.abs(1 - now / baseline) * 100);
  return what === "allocations"
    ? `${name}: a call allocates ${now.toFixed(1)} KB, ${baseline.toFixed(1)} KB before, ${change} % more; ${noise}`
    : `${name}: ${what} fell from ${baseline.toFixed(2)} of the floor to ${now.toFixed(2)}, ${change} % less; ${noise}`;
};
