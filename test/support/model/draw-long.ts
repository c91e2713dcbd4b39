/** Long concurrent plans, drawn from a seed: ten participants who act at the same time. */
import type { Random } from "../live/random.ts";
import {
  impliedBy,
  LONG_ARG,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  type OperationRow,
  type Scope,
} from "./operations.ts";
import type { Fate, Plan, PlannedWay, Retry, SendStep } from "./plan.ts";

/**
 * The participants that the creator makes, in this order: an owner and three that fill in, two reviewers, one
 * that appends, two that may be revoked at any time, and one that only reads.
 */
export const ROLES: readonly (readonly Scope[])[] = [
  ["fill"],
  ["own"],
  ["fill"],
  ["review"],
  ["review"],
  ["append"],
  ["append", "handoff"],
  ["append", "handoff"],
  ["view"],
];

/** What ends a session, or what others need, is drawn this much more rarely than in a short plan. */
const RARE = 0.05;
/** What a participant may not do is tried now and then. */
const DENIED = 0.02;
const LIFE_MS = 86_400_000;

export function drawLongPlan(random: Random, isShort: boolean): Plan {
  const isShortLived = random.chance(0.3) || isShort;
  const settings = {
    approvals: random.chance(0.8) ? random.between(1, 2) : 0,
    required: null,
    ttlMs: isShortLived ? random.between(3_000, 9_000) : LIFE_MS,
    isPurged: random.chance(0.4),
  };
  const count = random.between(25, 60);
  const acting = [["own"] as readonly Scope[], ...ROLES.slice(0, -1)];
  const steps = acting.flatMap((scopes, who) => {
    const weights = weightsFor(scopes);
    return Array.from({ length: count }, () => drawStep(random, weights, who, isShortLived));
  });
  return { settings, participants: ROLES, steps, isConcurrent: true };
}

function drawStep(
  random: Random,
  weights: Readonly<Record<string, number>>,
  who: number,
  isShortLived: boolean,
): SendStep {
  const drawn = random.weighted(weights) as OperationName;
  // A short life stays short, or its end would not be known.
  const operation = drawn === "extend" && isShortLived ? "pause" : drawn;
  const arg = LONG_ARG + random.between(0, 999);
  return {
    kind: "send",
    who,
    operation,
    arg,
    action: random.weighted({ send: 92, repeat: 4, alter: 1, stale: 3 }) as SendStep["action"],
    // A trim spares an append for as long as its key is remembered, so that some have none.
    isKeyed: arg % (operation === "append" ? 3 : 8) !== 0,
    condition: random.chance(0.6) ? "seen" : "none",
    fate: random.weighted({ whole: 82, "request lost": 4, "cut off": 9, "answer lost": 5 }) as Fate,
    retry: random.weighted({ now: 75, later: 10, never: 15 }) as Retry,
    way: wayOf(random, operation),
    pauseMs: random.pick([0, 0, 5, 20, 60]),
  };
}

const wayOf = (random: Random, operation: OperationName): PlannedWay => {
  if (operation === "append") return random.pick(["http", "mcp", "socket"] as const);
  return OPERATIONS[operation].tool === null
    ? "http"
    : random.pick(["http", "http", "mcp"] as const);
};

function weightsFor(scopes: readonly Scope[]): Readonly<Record<string, number>> {
  const implied = impliedBy(scopes);
  const weightOf = ({ weight, ends, scope }: OperationRow): number =>
    weight * (ends ? RARE : 1) * (scope !== null && implied.has(scope) ? 1 : DENIED);
  const drawn = OPERATION_NAMES.filter((name) => OPERATIONS[name].weight > 0 && name !== "purge");
  return Object.fromEntries(drawn.map((name) => [name, weightOf(OPERATIONS[name])]));
}
