/** Tools that give work to agents elsewhere, and look after it. None spends the token. */
import * as z from "zod";
import type { JobView } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import {
  ADDS,
  defineTool,
  ENDS,
  handleInput,
  keeping,
  KEEPS,
  onceInput,
  READS,
  type Told,
} from "./tool-kit";

const LIFETIME = "A job continues without you, at most until the session ends.";

const job_id = z.string().describe("From submit_job");

function told(
  done: string,
  { job, expiresAt }: { readonly job: JobView; readonly expiresAt: string },
): Told {
  return {
    text: `${done} Job ${job.id} is ${job.status}.`,
    facts: { expires_at: expiresAt, job },
  };
}

const submit_job = defineTool({
  title: "Submit a job to an agent",
  description: `Submits a job to a named agent; it is pending until an executor of that name takes it. ${LIFETIME} Follow it with get_job, or read_events with types ["job.*"]. ${KEEPS}`,
  of: "submitJob",
  words: { closePolicy: "" },
  takes: onceInput,
  ...ADDS,
  run: keeping(
    ({ jobs }, presented, body, args) =>
      jobs.submit(presented, body as JobSubmission, args.idempotency_key ?? null),
    (reply) => told("Submitted.", reply),
  ),
});

const get_job = defineTool({
  title: "Read a job",
  description: `Returns the job with its input, and its result or error once it has ended. ${KEEPS}`,
  of: "getJob",
  takes: { ...handleInput, job_id },
  ...READS,
  run: keeping(
    ({ jobs }, presented, _, args) => jobs.get(presented, args.job_id),
    (reply) => {
      const { text, facts } = told("Found.", reply);
      return { text, facts: { ...facts, input: reply.input } };
    },
  ),
});

const cancel_job = defineTool({
  title: "Cancel a job",
  description: `Cancels a job; its executor learns of it at its next report. An ended job is returned unchanged. ${KEEPS}`,
  of: "cancelJob",
  // A key is taken as everywhere; a second cancel does nothing with or without one.
  takes: { ...onceInput, job_id },
  ...ENDS,
  run: keeping(
    ({ jobs }, presented, { reason }, args) => jobs.cancel(presented, args.job_id, reason),
    (reply) => told("Done.", reply),
  ),
});

export const jobTools = { submit_job, get_job, cancel_job };
