/** Which faults strike when: a schedule drawn from a seed alone. */
import type { Random } from "../../live/random.ts";
import { FAULTS, type FaultName, type FaultStep } from "../plan.ts";

/** Done inside a session's object by the Worker with faults. */
export type ObjectFault = Pick<FaultStep, "fault" | "amount">;

export interface ScheduledFault extends FaultStep {
  /** Which of the sessions side by side it strikes, if it strikes one. */
  readonly slot: number;
  /** It strikes however late it has become; others are then left out. */
  readonly isNeeded: boolean;
}

/** Less than the lease of a job, which a jump must not end; short sessions do expire by it. */
const LARGEST_JUMP_MS = 280_000;

const DRAWN: readonly FaultName[] = FAULTS.filter((name) => name !== "kill");

/** Kills are spread evenly, each at a random place of its share; the rest comes at random. */
export function scheduleFaults(
  random: Random,
  durationMs: number,
  kills: number,
  slots: number,
  meanGapMs: number,
  drawn: readonly FaultName[] = DRAWN,
): readonly ScheduledFault[] {
  const share = durationMs / Math.max(1, kills);
  const scheduled: ScheduledFault[] = Array.from({ length: kills }, (_, index) => ({
    kind: "fault",
    fault: "kill",
    // Not at the very end: what was killed must be seen to go on.
    atMs: Math.round(share * (index + 0.2 + 0.6 * random.next())),
    amount: 0,
    slot: 0,
    isNeeded: true,
  }));
  // A turn of every kind first, so that a short run has some of each.
  for (let atMs = 0, n = 0; ; n++) {
    atMs += random.between(1, 2 * meanGapMs);
    if (atMs >= durationMs) break;
    const isNeeded = n < drawn.length;
    const fault = drawn[isNeeded ? n : random.between(0, drawn.length - 1)] ?? "abort";
    const slot = random.between(0, slots - 1);
    scheduled.push({ kind: "fault", fault, atMs, amount: amountOf(random, fault), slot, isNeeded });
  }
  return scheduled.sort((one, other) => one.atMs - other.atMs);
}

function amountOf(random: Random, fault: FaultName): number {
  switch (fault) {
    case "clock":
      return random.chance(0.3) ? 0 : random.between(-LARGEST_JUMP_MS, LARGEST_JUMP_MS);
    case "disk full":
    case "stall":
      return random.between(100, 700);
    case "statement fails":
      return random.between(1, 30);
    default:
      return random.between(0, 1);
  }
}
