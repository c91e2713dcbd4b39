/**
 * Reports on a job that has ended. The end is final. The same report again is a repetition; any
 * other must be refused, because an acknowledged result may not be dropped.
 */
import { deadlineOf, isOpen, type Job } from "./job";
import type { JobReport } from "./job-rules";
import { canonicalJson, type Json } from "../json";

/** Whether the report repeats exactly how the job ended. */
export function isRepeatedEndReport(
  job: Job,
  result: Json | undefined,
  report: JobReport,
): boolean {
  const { status, outcome } = job;
  switch (report.what) {
    case "result": {
      const { what: _, ...reported } = report;
      const sent =
        reported.resultId === undefined
          ? { ...reported, result: reported.result ?? null }
          : reported;
      return status === "success" && isSame(sent, { ...outcome, result });
    }
    case "error": {
      const { what: _, ...reported } = report;
      return outcome?.error !== undefined && isSame(reported, outcome.error);
    }
    default:
      return false;
  }
}

const isSame = (one: object, other: object): boolean => canonicalJson(one) === canonicalJson(other);

/** Whether the job was ended by a report in time, and not by a deadline. */
export const hasEndedByReport = (job: Job): boolean =>
  !isOpen(job) &&
  (job.endedAt ?? Infinity) < Math.min(job.leaseExpiresAt ?? 0, deadlineOf(job)?.at ?? Infinity);
