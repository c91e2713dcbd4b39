import { describe, expect, it } from "vitest";
import { Random } from "../support/live/random.ts";
import { KNOWN } from "../support/torture/checker/operations.ts";
import { nameOfFault, planFaults } from "../support/torture/faults.ts";
import { drawSession, drawStep, ROLES } from "../support/torture/plan.ts";
import { ServerClock } from "../support/torture/server-clock.ts";

const MINUTE_MS = 60_000;
const KILLS = 12;
const FAULTS =
  "abort, alarm failing, alarm late, alarm twice, clock, cut, disk full, evict, kill, " +
  "n-th statement, spurious alarm";
const faultsOf = (seed: number) => planFaults(new Random(seed), 3 * MINUTE_MS, KILLS, 4, 350);
const stepsOf = (seed: number) => {
  const random = new Random(seed);
  return [
    drawSession(random),
    ...ROLES.slice(0, -1).flatMap((role) =>
      Array.from({ length: 1_000 }, () => drawStep(random, role)),
    ),
  ];
};

describe("a seed", () => {
  it("draws the same operations and the same faults again, and another one others", () => {
    expect(faultsOf(1)).toEqual(faultsOf(1));
    expect(stepsOf(1)).toEqual(stepsOf(1));
    expect(faultsOf(2)).not.toEqual(faultsOf(1));
    expect(stepsOf(2)).not.toEqual(stepsOf(1));
  });

  it("plans as many kills as were asked for, in time and in order, and some of every fault", () => {
    const planned = faultsOf(3);
    const times = planned.map(({ atMs }) => atMs);
    expect(planned.filter(({ fault }) => fault.kind === "kill")).toHaveLength(KILLS);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(Math.max(...times)).toBeLessThan(3 * MINUTE_MS);
    expect([...new Set(planned.map(({ fault }) => nameOfFault(fault)))].sort()).toEqual(
      FAULTS.split(", "),
    );
  });

  it("has every operation tried that the checker knows", () => {
    const tried = new Set(stepsOf(4).map((step) => ("name" in step ? step.name : "create")));
    // Every link that is made is opened.
    if (tried.has("link")) tried.add("openLink");
    expect(Object.keys(KNOWN).filter((name) => !tried.has(name))).toEqual([]);
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

  it("may have shown either time for good where setting it was not answered, until a restart", async () => {
    const clock = new ServerClock();
    await clock.change(-5_000, () => Promise.reject(new Error("no answer"))).catch(() => {});
    const later = Date.now() + 1_000;
    expect(clock.range(later, later)).toEqual([later - 5_000, later]);
    await clock.change(0, async () => {});
    expect(clock.range(later, later)).toEqual([later, later]);
  });
});
