/** How many jobs a session may have: those that have not ended, and those that wait for an executor. */
import type { Failure } from "../failure";
import { LIMITS } from "../limits";

/** Is there room for one job more, beside those that have not ended and those that wait? */
export function jobTotalProblem(open: number, waiting: number): Failure | null {
  if (open >= LIMITS.jobs) {
    return {
      code: "too_large",
      what: "the number of jobs that have not ended",
      limit: LIMITS.jobs,
      used: open,
    };
  }
  return waiting < LIMITS.jobsWaiting
    ? null
    : {
        code: "too_large",
        what: "the number of jobs that wait for an executor",
        limit: LIMITS.jobsWaiting,
        used: waiting,
      };
}
