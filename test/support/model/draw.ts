/** Plans drawn by fast-check, for drivers that take one step after another. */
import * as fc from "fast-check";
import {
  GRANTS,
  impliedBy,
  OPERATION_NAMES,
  OPERATIONS,
  rowOf,
  type OperationName,
  type Scope,
} from "./operations.ts";
import type { Plan, SendStep, SessionSettings, Step, WaitStep } from "./plan.ts";

const weighted = <T extends string>(weights: Readonly<Partial<Record<T, number>>>) =>
  fc.oneof(
    ...(Object.entries(weights) as [T, number][]).map(([value, weight]) => ({
      arbitrary: fc.constant(value),
      weight,
    })),
  );

/** Operations that can be tried without a network. */
export const DRAWN = OPERATION_NAMES.filter((name) => {
  const { weight, needsNetwork } = OPERATIONS[name];
  return weight > 0 && !needsNetwork;
});

const WEIGHTS = Object.fromEntries(DRAWN.map((name) => [name, OPERATIONS[name].weight])) as Partial<
  Record<OperationName, number>
>;

const send: fc.Arbitrary<SendStep> = fc.record({
  kind: fc.constant("send" as const),
  who: fc.nat(5),
  action: weighted({ send: 14, repeat: 3, alter: 1, stale: 2 }),
  operation: weighted(WEIGHTS),
  arg: fc.nat(59),
  isKeyed: fc.boolean(),
  condition: weighted({ none: 6, seen: 4, outdated: 1 }),
  fate: weighted({ whole: 7, "request lost": 1, "answer lost": 2 }),
  retry: weighted({ later: 3, now: 1, never: 1 }),
  way: fc.constant("http" as const),
  pauseMs: fc.constant(0),
});

const wait: fc.Arbitrary<WaitStep> = fc.record({
  kind: fc.constant("wait" as const),
  minutes: fc.nat(59),
  alarm: fc.boolean(),
});

const settings: fc.Arbitrary<SessionSettings> = fc.record({
  approvals: fc.integer({ min: 0, max: 2 }),
  required: fc.constantFrom(null, null, "name"),
  ttlMs: fc.constant(60 * 60_000),
  isPurged: fc.constant(false),
});

export const planOf = (maxSteps: number, minLength = 0): fc.Arbitrary<Plan> =>
  fc
    .record({
      settings,
      participants: fc.array(fc.constantFrom(...GRANTS), { minLength: 1, maxLength: 4 }),
      steps: fc.array(fc.oneof({ arbitrary: send, weight: 22 }, { arbitrary: wait, weight: 1 }), {
        minLength,
        maxLength: maxSteps,
        size: "max",
      }),
      isConcurrent: fc.constant(false),
    })
    .map((plan) => ({ ...plan, steps: plan.steps.map((step) => byAble(step, plan.participants)) }));

/** What few may do is mostly tried by those who may, or no plan would ever see it succeed. */
function byAble(step: Step, participants: readonly (readonly Scope[])[]): Step {
  if (step.kind !== "send" || step.arg % 4 === 0) return step;
  const { by } = rowOf(step.operation);
  const everybody = [impliedBy(["own"]), ...participants.map(impliedBy)];
  const able = everybody.flatMap((scopes, who) => (by !== null && scopes.has(by) ? [who] : []));
  return able.length === 0 ? step : { ...step, who: able[step.who % able.length] ?? 0 };
}
