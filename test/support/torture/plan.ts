/** What participants try, drawn from a seed alone: never from what they are answered. */
import type { Random } from "../live/random.ts";
import type { Fate } from "./send.ts";

export interface Role {
  readonly scopes: readonly string[];
  /** With all that is implied. */
  readonly implied: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
}

const LOOKING = { get: 8, events: 5 };
const FILLING = { setFields: 30, append: 12, resume: 6, requestInput: 4, submit: 3, checkpoint: 3 };
const SENDING = { requestUpload: 4, putUpload: 8, confirmUpload: 6, removeUpload: 1 };
const STEERING = { finalize: 0.6, cancel: 0.15, pause: 3, unpause: 3, extend: 3, restore: 2 };
const OWNING = { ...STEERING, trim: 2.5, fork: 1, link: 1.5, revoke: 0.7 };
const OWN = ["own", "handoff", "fill", "append", "view"];

/** The creator and those it hands off to at the start, in this order; the last only looks. */
export const ROLES: readonly Role[] = [
  {
    scopes: [],
    implied: OWN,
    weights: { ...LOOKING, ...FILLING, ...SENDING, ...OWNING, handoff: 2 },
  },
  {
    scopes: ["fill"],
    implied: ["fill", "append", "view"],
    weights: { ...LOOKING, ...FILLING, finalize: 0.5 },
  },
  { scopes: ["own"], implied: OWN, weights: { ...LOOKING, ...FILLING, ...OWNING } },
  {
    scopes: ["fill"],
    implied: ["fill", "append", "view"],
    weights: { ...LOOKING, ...FILLING, ...SENDING },
  },
  {
    scopes: ["review"],
    implied: ["review", "view"],
    weights: { ...LOOKING, approve: 9, requestChanges: 6, reject: 0.4, resume: 8, append: 1 },
  },
  {
    scopes: ["review"],
    implied: ["review", "view"],
    weights: { ...LOOKING, approve: 9, requestChanges: 6, resume: 8 },
  },
  {
    scopes: ["append"],
    implied: ["append", "view"],
    weights: { ...LOOKING, append: 25, setFields: 1, resume: 2 },
  },
  // The guests, who may be revoked at any time, with whomever they brought.
  ...Array.from({ length: 2 }, () => ({
    scopes: ["append", "handoff"],
    implied: ["append", "handoff", "view"],
    weights: { ...LOOKING, append: 20, handoff: 2, resume: 3 },
  })),
  { scopes: ["view"], implied: ["view"], weights: {} },
];

/** The same operation by more than one way, where there is more than one. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  append: ["http", "mcp", "socket"],
  ...Object.fromEntries(
    [
      "get",
      "events",
      "setFields",
      "submit",
      "resume",
      "pause",
      "unpause",
      "extend",
      "checkpoint",
      "cancel",
      "handoff",
    ].map((name) => [name, ["http", "http", "mcp"] as const]),
  ),
};
export type Way = "http" | "mcp" | "socket";

export interface Step {
  readonly name: string;
  readonly way: Way;
  readonly fate: Fate;
  /** What it does about an answer that did not come: ask again with the same key, or let it be. */
  readonly isInsistent: boolean;
  /** With `If-Match` of what it last looked at, or without. */
  readonly isConditional: boolean;
  /** Tries an earlier token of its line. */
  readonly isStale: boolean;
  readonly arg: number;
  readonly pauseMs: number;
}

export function drawStep(random: Random, { weights }: Role): Step {
  const name = weighted(random, weights);
  const fate = weighted(random, { whole: 82, lost: 4, cut: 9, unheard: 5 }) as Fate;
  return {
    name,
    fate,
    way: random.pick(WAYS[name] ?? (["http"] as const)),
    isInsistent: random.chance(0.8),
    isConditional: random.chance(0.6),
    isStale: random.chance(0.03),
    arg: random.between(0, 999),
    pauseMs: random.pick([0, 0, 5, 20, 60]),
  };
}

export interface SessionPlan {
  readonly body: Readonly<Record<string, unknown>>;
  readonly ttlMs: number | null;
  readonly steps: number;
  /** Purged in the end, while all try to go on. */
  readonly isPurged: boolean;
}

export function drawSession(random: Random, isShort = false): SessionPlan {
  const ttlMs = random.chance(0.3) || isShort ? random.between(3_000, 9_000) : null;
  const review = random.chance(0.8) ? { required: true, approvals: random.between(1, 2) } : null;
  const body = {
    title: `t${random.between(0, 999)}`,
    ...(ttlMs === null ? {} : { ttlMs }),
    ...(review === null ? {} : { review }),
  };
  return { body, ttlMs, steps: random.between(25, 60), isPurged: random.chance(0.4) };
}

function weighted(random: Random, weights: Readonly<Record<string, number>>): string {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  let left = random.next() * total;
  for (const [name, weight] of Object.entries(weights)) {
    left -= weight;
    if (left < 0) return name;
  }
  throw new Error("there is nothing to choose from");
}
