/** Tools that give work to agents elsewhere, and look after it. None spends the token. */
import * as z from "zod";
import type { JobView } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import * as kit from "./tool-kit";

const LIFETIME = "A job continues without you, at most until the session ends.";

const job_id = z.string().describe("From submit_job");

function told(
  done: string,
  { job, expiresAt }: { readonly job: JobView; readonly expiresAt: string },
): kit.Told {
  return {
    text: `${done} Job ${job.id} is ${job.status}.`,
    facts: { expires_at: expiresAt, job },
  };
}

const submit_job = kit.defineTool({
  title: "Submit a job to an agent",
  description: `Submits a job to a named agent; it is pending until an executor of that name takes it. ${LIFETIME} Follow it with get_job, or read_events with types ["job.*"]. ${kit.KEEPS}`,
  of: "submitJob",
  words: { closePolicy: "" },
  takes: kit.onceInput,
  ...kit.ADDS,
  run: kit.keeping(
    ({ jobs }, presented, body, args) =>
      jobs.submit(presented, body as JobSubmission, args.idempotency_key ?? null),
    (reply) => told("Submitted.", reply),
  ),
});

const get_job = kit.defineTool({
  title: "Read a job",
  description: `Returns the job with its input, and its result or error once it has ended. ${kit.KEEPS}`,
  of: "getJob",
  takes: { ...kit.handleInput, job_id },
  ...kit.READS,
  run: kit.keeping(
    ({ jobs }, presented, _, args) => jobs.get(presented, args.job_id),
    (reply) => {
      const { text, facts } = told("Found.", reply);
      return { text, facts: { ...facts, input: reply.input } };
    },
  ),
});

const cancel_job = kit.defineTool({
  title: "Cancel a job",
  description: `Cancels a job; its executor learns of it at its next report. An ended job is returned unchanged. ${kit.KEEPS}`,
  of: "cancelJob",
  // A key is taken as everywhere; a second cancel does nothing with or without one.
  takes: { ...kit.onceInput, job_id },
  ...kit.ENDS,
  run: kit.keeping(
    ({ jobs }, presented, { reason }, args) => jobs.cancel(presented, args.job_id, reason),
    (reply) => told("Done.", reply),
  ),
});

export const jobTools = { submit_job, get_job, cancel_job };
