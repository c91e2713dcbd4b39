/**
 * From a plan that fails to a shorter one that still fails: parts are dropped, then what is left is made
 * simpler, until nothing more can go. A driver whose outcome differs from run to run tries each candidate
 * several times, and stops when its time is up.
 */
import type { Plan, Step } from "./plan.ts";

export interface ShrinkOptions {
  readonly fails: (plan: Plan) => Promise<boolean>;
  /** How often a candidate is tried before it counts as one that passes. */
  readonly tries?: number;
  readonly budgetMs?: number;
}

export async function shrinkPlan(plan: Plan, options: ShrinkOptions): Promise<Plan> {
  const { fails, tries = 1, budgetMs = Number.POSITIVE_INFINITY } = options;
  const deadline = Date.now() + budgetMs;
  const stillFails = async (candidate: Plan): Promise<boolean> => {
    for (let n = 0; n < tries && Date.now() < deadline; n++)
      if (await fails(candidate)) return true;
    return false;
  };
  let shortest = plan;
  for (let before = ""; before !== JSON.stringify(shortest) && Date.now() < deadline; ) {
    before = JSON.stringify(shortest);
    const whole = shortest;
    const steps = await fewest(whole.steps, (fewer) => stillFails({ ...whole, steps: fewer }));
    const stepped = { ...whole, steps };
    const places = await fewest([...stepped.participants.keys()], (fewer) =>
      stillFails(withParticipants(stepped, fewer)),
    );
    shortest = await simplified(withParticipants(stepped, places), stillFails);
  }
  return shortest;
}

type StillFails = (plan: Plan) => Promise<boolean>;

/** Delta debugging: drops everything, then ever smaller parts, down to single ones. */
async function fewest<T>(
  items: readonly T[],
  stillFail: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  for (let size = items.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)];
      if (await stillFail(fewer)) left = fewer;
      else from += size;
    }
  }
  return left;
}

/** With these participants alone; the others' steps go with them, and those after them move up. */
function withParticipants(plan: Plan, places: readonly number[]): Plan {
  const { length } = plan.participants;
  const moved = (who: number): number => {
    if (who > length) return who - length + places.length;
    return who === 0 ? 0 : places.indexOf(who - 1) + 1 || -1;
  };
  return {
    ...plan,
    participants: plan.participants.filter((_, place) => places.includes(place)),
    steps: plan.steps.flatMap((step): readonly Step[] => {
      if (step.kind !== "send") return [step];
      const who = moved(step.who);
      return who === -1 ? [] : [{ ...step, who }];
    }),
  };
}

/** Each member of each step as simple as it can be, and then the settings. */
async function simplified(plan: Plan, stillFails: StillFails): Promise<Plan> {
  const steps = [...plan.steps];
  for (const [index, step] of plan.steps.entries()) {
    const changes = step.kind === "fault" ? SIMPLE_FAULT : step.kind === "send" ? SIMPLE : [];
    for (const change of changes) {
      const before = steps[index] as Step;
      const changed = { ...before, ...change } as Step;
      if (JSON.stringify(changed) === JSON.stringify(before)) continue;
      steps[index] = changed;
      if (!(await stillFails({ ...plan, steps }))) steps[index] = before;
    }
  }
  let { settings } = plan;
  for (const [member, value] of Object.entries(SIMPLE_SETTINGS)) {
    const changed = Object.assign({}, settings, { [member]: value });
    if (JSON.stringify(changed) === JSON.stringify(settings)) continue;
    if (await stillFails({ ...plan, steps, settings: changed })) settings = changed;
  }
  return { ...plan, steps, settings };
}

/**
 * The same steps one after another, each participant in turn, with the faults among them as they were in time.
 * Such a plan comes out alike each time, which a concurrent one does not. A fault of the object meets another
 * moment then, so it strikes many times, in different ways; most of these are dropped again.
 */
export function asSequential(plan: Plan): Plan {
  const faults = plan.steps.filter((step) => step.kind === "fault");
  const queues = new Map<number, Step[]>();
  for (const step of plan.steps) {
    if (step.kind !== "send") continue;
    queues.set(step.who, [...(queues.get(step.who) ?? []), { ...step, pauseMs: 0 }]);
  }
  const turns = Math.max(0, ...[...queues.values()].map(({ length }) => length));
  const sends = Array.from({ length: turns }, (_, turn) =>
    [...queues.values()].flatMap((queue) => queue[turn] ?? []),
  ).flat();
  const last = Math.max(1, ...faults.map(({ atMs }) => atMs));
  const ofServer = new Set(["kill", "stall", "clock", "disk full", "cut sockets"]);
  const placed = faults
    .filter(({ fault }) => ofServer.has(fault))
    .map((fault) => ({ fault, place: (0.9 * fault.atMs) / last }));
  for (const name of new Set(faults.map(({ fault }) => fault))) {
    for (let n = 1; n <= COPIES && !ofServer.has(name); n++) {
      const fault = { kind: "fault", fault: name, atMs: 0, amount: n } as const;
      placed.push({ fault, place: n / (COPIES + 1) });
    }
  }
  const steps: Step[] = [...sends];
  for (const { fault, place } of placed.sort((one, other) => other.place - one.place)) {
    steps.splice(Math.floor(place * sends.length), 0, fault);
  }
  return { ...plan, steps, isConcurrent: false };
}

const COPIES = 30;
const SIMPLE_FAULT = [{ atMs: 0 }, { amount: 1 }] as const;

const SIMPLE_SETTINGS = { approvals: 0, required: null, ttlMs: 3_600_000, isPurged: false };

const SIMPLE = [
  { fate: "whole" },
  { retry: "never" },
  { condition: "none" },
  { isKeyed: false },
  { way: "http" },
  { action: "send" },
  { pauseMs: 0 },
  { arg: 0 },
  { who: 0 },
] as const;
