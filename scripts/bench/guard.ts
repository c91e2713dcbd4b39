/**
 * The guard against getting slower: what this run found beside what is kept in the repository. A ratio
 * has fallen if it lies below the kept one by more than the noise between rounds. What a call asks of
 * the heap does not depend on how busy the machine is, so there little is taken for noise.
 */
import type { Spread } from "./stats.ts";

interface KeptRatio {
  readonly ratio: Spread;
  readonly cpuRatio: Spread;
  /** Kilobytes of the heap for a call. */
  readonly allocatedKb?: number;
}

export type KeptRatios = Readonly<Record<string, KeptRatio>>;

interface Fall {
  readonly name: string;
  readonly what: "throughput" | "CPU time" | "allocations";
  readonly kept: number;
  readonly now: number;
  /** The share of the kept ratio that may be lost without a word. */
  readonly tolerance: number;
}

/** Even quiet machines differ by this much between two runs. */
const LEAST_TOLERANCE = 0.1;
/** Batches of calls differ by a few hundredths, and starts by some more. */
const ALLOCATION_TOLERANCE = 0.15;
/** A machine so unsteady that half is within its noise guards nothing; then the fall is said. */
const MOST_TOLERANCE = 0.4;

const halfWidth = ({ middle, low, high }: Spread): number =>
  middle === 0 ? 0 : (high - low) / 2 / middle;

function toleranceOf(kept: Spread, now: Spread): number {
  const noise = Math.max(halfWidth(kept), halfWidth(now));
  return Math.min(Math.max(LEAST_TOLERANCE, noise), MOST_TOLERANCE);
}

function fallOf(kept: Spread, now: Spread): Pick<Fall, "kept" | "now" | "tolerance"> | null {
  const tolerance = toleranceOf(kept, now);
  const hasFallen = now.middle < kept.middle * (1 - tolerance);
  return hasFallen ? { kept: kept.middle, now: now.middle, tolerance } : null;
}

function riseOf(
  kept: number | undefined,
  now: number | undefined,
): Pick<Fall, "kept" | "now" | "tolerance"> | null {
  if (kept === undefined || now === undefined) return null;
  const tolerance = ALLOCATION_TOLERANCE;
  return now > kept * (1 + tolerance) ? { kept, now, tolerance } : null;
}

/** Workloads that were not kept, or not run, are not judged. */
export function findFalls(
  kept: KeptRatios,
  rows: readonly ({ readonly name: string } & KeptRatio)[],
): readonly Fall[] {
  return rows.flatMap((row): Fall[] => {
    const before = kept[row.name];
    if (before === undefined) return [];
    const throughput = fallOf(before.ratio, row.ratio);
    const cpu = fallOf(before.cpuRatio, row.cpuRatio);
    const allocated = riseOf(before.allocatedKb, row.allocatedKb);
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

export const ratiosToKeep = (
  rows: readonly ({ readonly name: string } & KeptRatio)[],
): KeptRatios =>
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

export const describeFall = ({ name, what, kept, now, tolerance }: Fall): string => {
  const noise = `${Math.round(tolerance * 100)} % would be noise`;
  const change = Math.round(Math.abs(1 - now / kept) * 100);
  return what === "allocations"
    ? `${name}: a call allocates ${now.toFixed(1)} KB, ${kept.toFixed(1)} KB before, ${change} % more; ${noise}`
    : `${name}: ${what} fell from ${kept.toFixed(2)} of the floor to ${now.toFixed(2)}, ${change} % less; ${noise}`;
};
