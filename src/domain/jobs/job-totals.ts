/** How many jobs a session may have: ever made, and waiting for an executor. */
import type { Failure } from "../failure";
import { LIMITS } from "../limits";

/** Is there room for one job more, beside those ever made and those that wait? */
export function jobTotalProblem(made: number, waiting: number): Failure | null {
  if (made >= LIMITS.jobs) {
    return { code: "too_large", what: "the number of jobs", limit: LIMITS.jobs, used: made };
  }
  return waiting < LIMITS.jobsWaiting
    ? null
    : {
        code: "too_large",
        what: "the jobs that wait for an executor",
        limit: LIMITS.jobsWaiting,
        used: waiting,
      };
}
