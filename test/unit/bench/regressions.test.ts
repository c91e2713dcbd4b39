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

describe("the check for regressions", () => {
  const baseline = baselineRatiosOf([row("get", steady(0.85)), row("append 1", steady(0.9))]);

  it("reports nothing if nothing changed, or it became faster", () => {
    expect(
      findRegressions(baseline, [row("get", steady(0.85)), row("append 1", steady(1))]),
    ).toEqual([]);
  });

  it("reports a planted regression with its metric", () => {
    const regressions = findRegressions(baseline, [
      row("get", steady(0.6)),
      row("append 1", steady(0.9)),
    ]);
    expect(regressions.map(({ name, what }) => [name, what])).toEqual([
      ["get", "throughput"],
      ["get", "CPU time"],
    ]);
    expect(regressions.map(describeRegression)[0]).toBe(
      "get: throughput fell from 0.85 of the floor to 0.60, 29 % less; 10 % would be noise",
    );
  });

  it("reports a regression of CPU time that throughput hides", () => {
    const regressions = findRegressions(baseline, [row("get", steady(0.85), steady(0.5))]);
    expect(regressions.map(({ what }) => what)).toEqual(["CPU time"]);
  });

  it("reports that a call allocates more, however noisy the machine is", () => {
    const allocating = (kb: number) => [{ ...row("get", unsteady(0.85)), allocatedKb: kb }];
    const before = baselineRatiosOf(allocating(16));
    expect(findRegressions(before, allocating(18))).toEqual([]);
    expect(findRegressions(before, [row("get", unsteady(0.85))])).toEqual([]);
    expect(findRegressions(before, allocating(20)).map(describeRegression)).toEqual([
      "get: a call allocates 20.0 KB, 16.0 KB before, 25 % more; 15 % would be noise",
    ]);
  });

  it("treats what lies within the rounds of either run as noise", () => {
    expect(findRegressions(baseline, [row("get", steady(0.78))])).toEqual([]);
    expect(findRegressions(baseline, [row("get", unsteady(0.62))])).toEqual([]);
    const unsteadyBaseline = baselineRatiosOf([row("get", unsteady(0.85))]);
    expect(findRegressions(unsteadyBaseline, [row("get", steady(0.62))])).toEqual([]);
  });

  it("reports a clear regression however unsteady the machine is", () => {
    const wild: Spread = { middle: 0.4, low: 0.05, high: 2 };
    expect(
      findRegressions(baseline, [row("get", wild, steady(0.85))]).map(({ name }) => name),
    ).toEqual(["get"]);
  });

  it("does not compare what has no baseline", () => {
    expect(findRegressions(baseline, [row("create", steady(0.1))])).toEqual([]);
  });
});
