import { describe, expect, it } from "vitest";
import { Random } from "../support/live/random.ts";
import { drawLongPlan } from "../support/model/draw-long.ts";
import { scheduleFaults } from "../support/model/network/faults.ts";
import { ServerClock } from "../support/model/network/server-clock.ts";
import { OPERATION_NAMES, OPERATIONS } from "../support/model/operations.ts";
import { FAULTS } from "../support/model/plan.ts";

const MINUTE_MS = 60_000;
const KILLS = 12;
const faultsOf = (seed: number) => scheduleFaults(new Random(seed), 3 * MINUTE_MS, KILLS, 4, 350);
const planOf = (seed: number) => drawLongPlan(new Random(seed), false);

describe("a seed", () => {
  it("draws the same operations and the same faults again, and another one others", () => {
    expect(faultsOf(1)).toEqual(faultsOf(1));
    expect(planOf(1)).toEqual(planOf(1));
    expect(faultsOf(2)).not.toEqual(faultsOf(1));
    expect(planOf(2)).not.toEqual(planOf(1));
  });

  it("plans as many kills as were requested, in time and in order, and some of every fault", () => {
    const planned = faultsOf(3);
    const times = planned.map(({ atMs }) => atMs);
    expect(planned.filter(({ fault }) => fault === "kill")).toHaveLength(KILLS);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(Math.max(...times)).toBeLessThan(3 * MINUTE_MS);
    expect([...new Set(planned.map(({ fault }) => fault))].sort()).toEqual([...FAULTS].sort());
  });

  it("tries every operation that has a weight", () => {
    const plans = Array.from({ length: 40 }, (_, seed) => planOf(seed));
    const steps = plans.flatMap((plan) => plan.steps);
    const tried = new Set(steps.map((step) => (step.kind === "send" ? step.operation : "")));
    const expected = OPERATION_NAMES.filter(
      (name) => OPERATIONS[name].weight > 0 && name !== "purge",
    );
    expect(expected.filter((name) => !tried.has(name))).toEqual([]);
  });
});

describe("the server's clock", () => {
  it("may have shown either time while it is being set, and only the new one after", async () => {
    const clock = new ServerClock();
    const before = Date.now();
    await clock.change(5_000, async () => {
      const now = Date.now();
      expect(clock.range(now, now)).toEqual([now, now + 5_000]);
    });
    const after = Date.now() + 1;
    expect(clock.range(before, after)).toEqual([before, after + 5_000]);
    expect(clock.range(after, after)).toEqual([after + 5_000, after + 5_000]);
  });

  it("may have shown either time for good if setting it was not answered, until a restart", async () => {
    const clock = new ServerClock();
    await clock.change(-5_000, () => Promise.reject(new Error("no answer"))).catch(() => {});
    const later = Date.now() + 1_000;
    expect(clock.range(later, later)).toEqual([later - 5_000, later]);
    await clock.change(0, async () => {});
    expect(clock.range(later, later)).toEqual([later, later]);
  });
});
