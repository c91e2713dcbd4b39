/**
 * Work that is counted, not timed: what a client can make the object do is bounded by a number of
 * steps, the same on every machine.
 */
export interface StepBudget {
  left: number;
}

export const stepBudget = (steps: number): StepBudget => ({ left: steps });

/** False once there is none left: whoever asks then stops, and what it found so far is worthless. */
export function spend(effort: StepBudget, steps: number): boolean {
  effort.left -= steps;
  return effort.left >= 0;
}

export const isExhausted = (effort: StepBudget): boolean => effort.left < 0;
