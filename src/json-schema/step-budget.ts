/**
 * Work is counted, not timed. The number of steps limits what a client can make the object do, and
 * is the same on every machine.
 */
export interface StepBudget {
  left: number;
}

export const stepBudget = (steps: number): StepBudget => ({ left: steps });

/** False once the budget is exhausted. The caller then stops, and its results so far are not valid. */
export function spend(budget: StepBudget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}

export const isExhausted = (budget: StepBudget): boolean => budget.left < 0;
