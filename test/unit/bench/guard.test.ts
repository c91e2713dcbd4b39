import { describe, expect, it } from "vitest";
import {
  describeRegression,
  findRegressions,
  baselineRatiosOf,
} from "../../../scripts/bench/regressions.ts";
import type { Spread } from "../../../scripts/bench/stats.ts";

const steady = (middle: number): Spread => ({
  middle,
  low: middle * 0.98,
  high: middle * 1.02,
});
const unsteady = (middle: number): Spread => ({ middle, low: middle * 0.7, high: middle * 1.3 });
const row = (name: string, ratio: Spread, cpuRatio: Spread = ratio) => ({ name, ratio, cpuRatio });

describe("the guard", () => {
  const kept = baselineRatiosOf([row("get", steady(0.85)), row("append 1", steady(0.9))]);

  it("says nothing where nothing changed, or it became faster", () => {
    expect(findRegressions(kept, [row("get", steady(0.85)), row("append 1", steady(1))])).toEqual(
      [],
    );
  });

  it("finds a planted fall, and says of what", () => {
    const falls = findRegressions(kept, [row("get", steady(0.6)), row("append 1", steady(0.9))]);
    expect(falls.map(({ name, what }) => [name, what])).toEqual([
      ["get", "throughput"],
      ["get", "CPU time"],
    ]);
    expect(falls.map(describeRegression)[0]).toBe(
      "get: throughput fell from 0.85 of the floor to 0.60, 29 % less; 10 % would be noise",
    );
  });

  it("finds a fall in CPU time that throughput hides", () => {
    const falls = findRegressions(kept, [row("get", steady(0.85), steady(0.5))]);
    expect(falls.map(({ what }) => what)).toEqual(["CPU time"]);
  });

  it("finds that a call allocates more, however noisy the machine is", () => {
    const allocating = (kb: number) => [{ ...row("get", unsteady(0.85)), allocatedKb: kb }];
    const before = baselineRatiosOf(allocating(16));
    expect(findRegressions(before, allocating(18))).toEqual([]);
    expect(findRegressions(before, [row("get", unsteady(0.85))])).toEqual([]);
    expect(findRegressions(before, allocating(20)).map(describeRegression)).toEqual([
      "get: a call allocates 20.0 KB, 16.0 KB before, 25 % more; 15 % would be noise",
    ]);
  });

  it("takes what lies within the rounds of either run for noise", () => {
    expect(findRegressions(kept, [row("get", steady(0.78))])).toEqual([]);
    expect(findRegressions(kept, [row("get", unsteady(0.62))])).toEqual([]);
    const unsteadilyKept = baselineRatiosOf([row("get", unsteady(0.85))]);
    expect(findRegressions(unsteadilyKept, [row("get", steady(0.62))])).toEqual([]);
  });

  it("finds a clear fall however unsteady the machine is", () => {
    const wild: Spread = { middle: 0.4, low: 0.05, high: 2 };
    expect(findRegressions(kept, [row("get", wild, steady(0.85))]).map(({ name }) => name)).toEqual(
      ["get"],
    );
  });

  it("does not judge what was not kept", () => {
    expect(findRegressions(kept, [row("create", steady(0.1))])).toEqual([]);
  });
});
