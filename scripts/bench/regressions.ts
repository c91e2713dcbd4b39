/**
 * Detects performance regressions: compares this run with the baseline in the repository. A ratio has
 * dropped if it is below the baseline by more than the noise between rounds. Heap allocations per call do
 * not depend on the machine's load, so their tolerance is small.
 */
import type { Spread } from "./stats.ts";

interface BaselineRatio {
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  /** Kilobytes of heap allocations per call. */
  readonly allocatedKb?: number;
}

export type BaselineRatios = Readonly<Record<string, BaselineRatio>>;

interface Regression {
  readonly name: string;
  readonly what: "throughput" | "CPU time" | "allocations";
  readonly baseline: number;
  readonly now: number;
  /** The share of the baseline that may be lost without a report. */
  readonly tolerance: number;
}

/** Even idle machines differ by this much between two runs. */
const MIN_TOLERANCE = 0.1;
/** Batches of calls differ by a few percent, and starts by slightly more. */
const ALLOCATION_TOLERANCE = 0.15;
/** A higher tolerance would detect nothing, so a drop beyond this is always reported. */
const MAX_TOLERANCE = 0.4;

const halfWidth = ({ middle, low, high }: Spread): number =>
  middle === 0 ? 0 : (high - low) / 2 / middle;

function toleranceOf(baseline: Spread, now: Spread): number {
  const noise = Math.max(halfWidth(baseline), halfWidth(now));
  return Math.min(Math.max(MIN_TOLERANCE, noise), MAX_TOLERANCE);
}

function ratioDrop(
  baseline: Spread,
  now: Spread,
): Pick<Regression, "baseline" | "now" | "tolerance"> | null {
  const tolerance = toleranceOf(baseline, now);
  const hasFallen = now.middle < baseline.middle * (1 - tolerance);
  return hasFallen ? { baseline: baseline.middle, now: now.middle, tolerance } : null;
}

function allocationRise(
  baseline: number | undefined,
  now: number | undefined,
): Pick<Regression, "baseline" | "now" | "tolerance"> | null {
  if (baseline === undefined || now === undefined) return null;
  const tolerance = ALLOCATION_TOLERANCE;
  return now > baseline * (1 + tolerance) ? { baseline, now, tolerance } : null;
}

/** Skips workloads without a baseline, or that were not run. */
export function findRegressions(
  baseline: BaselineRatios,
  rows: readonly ({ readonly name: string } & BaselineRatio)[],
): readonly Regression[] {
  return rows.flatMap((row): Regression[] => {
    const before = baseline[row.name];
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
