/** Looks for a plan that breaks a law, and shrinks it, with or without a planted bug. */
import * as fc from "fast-check";
import { planOf } from "./draw.ts";
import type { Driver } from "./driver.ts";
import { runWithFaults, type FailingPlan } from "./faulty-run.ts";
import { check } from "./laws.ts";
import type { Violation } from "./laws/law.ts";
import { loadMemoryDriver } from "./memory-bundle.ts";
import { createObservers } from "./observe/all.ts";
import { PlanServer } from "./observed-run.ts";
import type { Plan } from "./plan.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { runPlan } from "./run.ts";
import { asSequential, shrinkPlan } from "./shrink.ts";

export interface Found {
  /** The laws that were broken, the expected one first. */
  readonly violations: readonly Violation[];
  readonly operations: number;
  readonly elapsedMs: number;
  /** The shortest plan that still breaks the same law; null if it is about no planned session. */
  readonly plan: Plan | null;
}

const STEPS = 60;

/** One plan after another on a driver that always answers alike. Null if every law holds. */
export async function searchInMemory(
  driver: () => Driver,
  { seed, runs, law }: { readonly seed: number; readonly runs: number; readonly law?: string },
  onRun: (runs: number, operations: number) => void = () => {},
): Promise<Found | null> {
  const started = Date.now();
  const violationsOf = async (plan: Plan) => {
    const history = await runPlan(driver(), plan);
    const violations = history === null ? [] : check(history);
    return { violations, operations: history?.operations.length ?? 0 };
  };
  let operations = 0;
  for (let run = 0; run < runs; run++) {
    const [plan] = fc.sample(planOf(STEPS, STEPS / 2), { numRuns: 1, seed: seed + run });
    if (plan === undefined) continue;
    const done = await violationsOf(plan);
    operations += done.operations;
    onRun(run + 1, operations);
    const broken = brokenIn(done.violations, law);
    if (broken === undefined) continue;
    const elapsedMs = Date.now() - started;
    const fails = async (candidate: Plan): Promise<boolean> =>
      (await violationsOf(candidate)).violations.some((one) => one.law === broken.law);
    const shortest = await shrinkPlan(plan, { fails });
    const { violations } = await violationsOf(shortest);
    return { violations: first(violations, broken.law), operations, elapsedMs, plan: shortest };
  }
  return null;
}

const brokenIn = (violations: readonly Violation[], law?: string): Violation | undefined =>
  violations.find((one) => law === undefined || one.law === law);
const first = (violations: readonly Violation[], law: string): readonly Violation[] =>
  violations.toSorted((one, other) => Number(other.law === law) - Number(one.law === law));

/** How often a candidate is tried on a server, and for how long all of them. */
const TRIES = 2;
const SHRINK_MS = 90_000;
/** What is observed takes a while to settle. */
const SHRINK_OBSERVED_MS = 180_000;

/** Shrinks a plan on a server of its own, for as long as there is time. */
export async function shrinkWithFaults(
  { plan, law }: FailingPlan,
  options: Readonly<{ seed: number; bug?: string | undefined; budgetMs?: number | undefined }>,
): Promise<Plan> {
  const server = await PlanServer.start(options, plan.isObserved === true);
  const fails = async (candidate: Plan): Promise<boolean> =>
    (await server.run(candidate)).violations.some((one) => one.law === law);
  try {
    const { budgetMs = plan.isObserved === true ? SHRINK_OBSERVED_MS : SHRINK_MS } = options;
    const sequential = asSequential(plan);
    for (let n = 0; n < TRIES; n++) {
      if (await fails(sequential)) return await shrinkPlan(sequential, { fails, budgetMs });
    }
    return await shrinkPlan(plan, { fails, tries: TRIES, budgetMs });
  } finally {
    await server.stop();
  }
}

export interface HuntOptions {
  readonly seed: number;
  readonly minutes?: number;
  readonly shrinkMs?: number;
}

const RUNS = 2_000;
const GAP_MS = 60;
/** What observers see is judged at the end, which need not be far away. */
const OBSERVED_SHARE = 0.25;
const OBSERVE_MS = 1_000;

/** Finds a planted bug in memory or with faults. Null if it was not found. */
export async function huntBug(bug: PlantedBug, options: HuntOptions): Promise<Found | null> {
  const { seed, minutes = 1, shrinkMs } = options;
  const { name, law } = bug;
  if (bug.faults === undefined) {
    return searchInMemory(await loadMemoryDriver(name), { seed, runs: RUNS, law });
  }
  const { isObserved = false } = bug;
  const run = await runWithFaults({
    seed,
    bug: name,
    durationMs: (isObserved ? OBSERVED_SHARE : 1) * minutes * 60_000,
    observers: isObserved ? await createObservers() : [],
    observeMs: OBSERVE_MS,
    kills: 0,
    gapMs: GAP_MS,
    stopsAtViolation: law,
    faults: bug.faults,
  });
  const violations = first(run.figures.violations, law);
  if (violations[0]?.law !== law) return null;
  const { failing, elapsedMs } = run;
  const shrinking = { seed, bug: name, budgetMs: shrinkMs };
  const plan =
    failing === null || shrinkMs === 0
      ? (failing?.plan ?? null)
      : await shrinkWithFaults(failing, shrinking);
  return { violations, operations: run.figures.total("operations"), elapsedMs, plan };
}
