/** What can strike, and when: a schedule drawn from a seed alone. */
import type { Random } from "../live/random.ts";

export type AlarmFault = "twice" | "late" | "failing";

/** Done inside a session's object by the harness's own Worker. */
export type ObjectFault =
  | { readonly kind: "abort" }
  | { readonly kind: "statement"; readonly nth: number }
  | { readonly kind: "alarm"; readonly how: AlarmFault }
  | { readonly kind: "spurious alarm" };

export type Fault =
  | { readonly kind: "kill" }
  | { readonly kind: "cut" }
  | { readonly kind: "disk full"; readonly forMs: number }
  | { readonly kind: "clock"; readonly offsetMs: number }
  | { readonly kind: "evict"; readonly slot: number; readonly sockets: "hibernate" | "close" }
  | { readonly kind: "object"; readonly slot: number; readonly fault: ObjectFault };

export interface Planned {
  readonly atMs: number;
  readonly fault: Fault;
  /** Strikes however late it has become; others are then left out. */
  readonly isNeeded: boolean;
}

/** Less than the lease of a job, which a jump must not end; short sessions do expire by it. */
const LARGEST_JUMP_MS = 280_000;
const ALARM_FAULTS: readonly AlarmFault[] = ["twice", "late", "failing"];

/** Kills are spread evenly, each at a random place of its share; the rest comes at random. */
export function planFaults(
  random: Random,
  durationMs: number,
  kills: number,
  slots: number,
  meanGapMs: number,
): readonly Planned[] {
  const share = durationMs / Math.max(1, kills);
  const planned: Planned[] = Array.from({ length: kills }, (_, index) => ({
    // Not at the very end: what was killed must be seen to go on.
    atMs: Math.round(share * (index + 0.2 + 0.6 * random.next())),
    fault: { kind: "kill" },
    isNeeded: true,
  }));
  // A turn of every kind first, so that a short run has some of each.
  for (let atMs = 0, n = 0; ; n++) {
    atMs += random.between(1, 2 * meanGapMs);
    if (atMs >= durationMs) break;
    const isNeeded = n < KINDS.length;
    planned.push({ atMs, fault: draw(random, slots, isNeeded ? n : null), isNeeded });
  }
  return planned.sort((one, other) => one.atMs - other.atMs);
}

const KINDS = [
  "abort",
  "statement",
  "evict",
  "alarm",
  "spurious alarm",
  "clock",
  "cut",
  "disk full",
  "statement",
  "alarm",
  "alarm",
] as const;

function draw(random: Random, slots: number, turn: number | null): Fault {
  const kind = KINDS[turn ?? random.between(0, KINDS.length - 1)] ?? "cut";
  const slot = random.between(0, slots - 1);
  const of = (fault: ObjectFault): Fault => ({ kind: "object", slot, fault });
  switch (kind) {
    case "abort":
    case "spurious alarm":
      return of({ kind });
    case "statement":
      return of({ kind, nth: random.between(1, 30) });
    case "alarm":
      return of({ kind, how: random.pick(ALARM_FAULTS) });
    case "evict":
      return { kind, slot, sockets: random.pick(["hibernate", "close"]) };
    case "clock": {
      const offsetMs = random.chance(0.3) ? 0 : random.between(-LARGEST_JUMP_MS, LARGEST_JUMP_MS);
      return { kind, offsetMs };
    }
    case "disk full":
      return { kind, forMs: random.between(100, 700) };
    case "cut":
      return { kind };
  }
}

export const nameOfFault = (fault: Fault): string => {
  if (fault.kind !== "object") return fault.kind;
  if (fault.fault.kind === "alarm") return `alarm ${fault.fault.how}`;
  return fault.fault.kind === "statement" ? "n-th statement" : fault.fault.kind;
};
