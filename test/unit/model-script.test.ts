import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../support/live/random.ts";
import { planOf } from "../support/model/draw.ts";
import { drawLongPlan } from "../support/model/draw-long.ts";
import { scheduleFaults } from "../support/model/network/faults.ts";
import type { Plan } from "../support/model/plan.ts";
import { parseScript, printScript } from "../support/model/script.ts";
import { shrinkPlan } from "../support/model/shrink.ts";

const [SAMPLE] = fc.sample(planOf(40, 30), { numRuns: 1, seed: 1 }) as [Plan];

describe("a script", () => {
  it("is read back as the plan that was printed", () => {
    fc.assert(
      fc.property(
        planOf(60),
        fc.constantFrom({}, { isObserved: true } as const),
        (drawn, around) => {
          const plan = { ...drawn, ...around };
          expect(parseScript(printScript(plan))).toEqual(plan);
        },
      ),
    );
    for (const seed of [1, 2, 3]) {
      const random = new Random(seed);
      const plan = drawLongPlan(random, seed === 1);
      const faults = scheduleFaults(random, 60_000, 2, 1, 350).map(
        ({ kind, fault, atMs, amount }) => ({ kind, fault, atMs, amount }) as const,
      );
      const whole = { ...plan, steps: [...plan.steps, ...faults] };
      expect(parseScript(printScript(whole))).toEqual(whole);
    }
  });

  it("may have comments and empty lines, and is refused if a line says nothing", () => {
    const script = printScript(SAMPLE);
    expect(parseScript(`# why\n\n${script}`)).toEqual(SAMPLE);
    expect(() => parseScript(`${script}0 fly 1\n`)).toThrow("there is no operation fly");
    expect(() => parseScript(`${script}fault fire\n`)).toThrow("there is no fault fire");
    expect(() => parseScript("0 get 1")).toThrow("no line that starts with session");
  });
});

const sends = ({ steps }: Plan, operation: string): number =>
  steps.filter((step) => step.kind === "send" && step.operation === operation).length;

/** The reviewer takes a step, and so does one that joins later. */
const needsReviewer = async (plan: Plan) => {
  const place = plan.participants.findIndex(([scope]) => scope === "review") + 1;
  const takes = (who: number) => plan.steps.some((one) => one.kind === "send" && one.who === who);
  return place > 0 && takes(place) && takes(plan.participants.length + 1);
};

describe("shrinking", () => {
  it("comes down to the steps without which the plan passes", async () => {
    expect(sends(SAMPLE, "setFields")).toBeGreaterThan(1);
    const fails = async (plan: Plan) => sends(plan, "setFields") >= 2;
    const { steps, participants, settings } = await shrinkPlan(SAMPLE, { fails });
    expect(steps).toHaveLength(2);
    expect(participants).toEqual([]);
    expect(settings).toMatchObject({ approvals: 0, required: null });
    for (const step of steps) expect(step).toMatchObject({ fate: "whole", arg: 0, isKeyed: false });
  });

  it("drops participants with their steps, and moves those after them up", async () => {
    const participants = [["fill"], ["own"], ["review"], ["append"]] as const;
    const step = SAMPLE.steps.find(({ kind }) => kind === "send");
    const steps = [0, 1, 3, 4, 5].map((who) => ({ ...step, who }) as Plan["steps"][number]);
    const shortest = await shrinkPlan({ ...SAMPLE, participants, steps }, { fails: needsReviewer });
    expect(shortest.participants).toEqual([["review"]]);
    expect(shortest.steps).toMatchObject([{ who: 1 }, { who: 2 }]);
  });

  it("tries a candidate several times if its outcome differs", async () => {
    let runs = 0;
    const fails = async (plan: Plan) => ++runs % 2 === 0 && sends(plan, "setFields") >= 1;
    const { steps } = await shrinkPlan(SAMPLE, { fails, tries: 2 });
    expect(steps).toHaveLength(1);
  });

  it("stops when its time is up", async () => {
    expect(await shrinkPlan(SAMPLE, { fails: async () => true, budgetMs: 0 })).toEqual(SAMPLE);
  });
});
