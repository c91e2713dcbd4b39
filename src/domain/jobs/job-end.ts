/**
 * What is said of a job that has ended. Its end stands: the same words again are a repetition, others
 * must be refused, because an acknowledged result may not be dropped.
 */
import { deadlineOf, isOpen, type Job } from "./job";
import type { JobReport } from "./job-rules";
import { canonicalJson, type Json } from "../json";

/** Does the report say again, word for word, how the job ended? Only then is it a repetition. */
export function isRepeatedEndReport(job: Job, result: Json | undefined, said: JobReport): boolean {
  const { status, outcome } = job;
  switch (said.what) {
    case "result": {
      const { what: _, ...given } = said;
      const sent =
        given.resultId === undefined ? { ...given, result: given.result ?? null } : given;
      return status === "success" && isSame(sent, { ...outcome, result });
    }
    case "error": {
      const { what: _, ...given } = said;
      return outcome?.error !== undefined && isSame(given, outcome.error);
    }
    default:
      return false;
  }
}

const isSame = (one: object, other: object): boolean => canonicalJson(one) === canonicalJson(other);

/** Ended by what its executor said in time, and not because its time was over. */
export const hasEndedByReport = (job: Job): boolean =>
  !isOpen(job) &&
  (job.endedAt ?? Infinity) < Math.min(job.leaseExpiresAt ?? 0, deadlineOf(job)?.at ?? Infinity);
