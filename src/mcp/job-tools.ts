/** Tools for jobs of other agents: submit, read, cancel. None spends the token. */
import * as z from "zod";
import type { JobView } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import * as kit from "./tool-kit";

const LIFETIME = "A job continues without you, at most until the session ends.";

const job_id = z.string().describe("From submit_job");

function jobResult(
  done: string,
  { job, expiresAt }: { readonly job: JobView; readonly expiresAt: string },
): kit.ToolResult {
  return {
    text: `${done} Job ${job.id} is ${job.status}.`,
    facts: { expires_at: expiresAt, job },
  };
}

const submit_job = kit.defineTool({
  title: "Submit a job to an agent",
  description: `Submits a job to a named agent; it is pending until an executor of that name takes it. ${LIFETIME} Follow it with get_job, or read_events with types ["job.*"]. ${kit.KEEPS_TOKEN}`,
  route: "submitJob",
  descriptions: { closePolicy: "" },
  extraInput: kit.idempotentInput,
  ...kit.ADDITIVE,
  run: kit.runKeepingToken(
    ({ jobs }, credential, body, args) =>
      jobs.submit(credential, body as JobSubmission, args.idempotency_key ?? null),
    (reply) => jobResult("Submitted.", reply),
  ),
});

const get_job = kit.defineTool({
  title: "Read a job",
  description: `Returns the job with its input, and its result or error once it has ended. ${kit.KEEPS_TOKEN}`,
  route: "getJob",
  extraInput: { ...kit.handleInput, job_id },
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ jobs }, credential, _, args) => jobs.get(credential, args.job_id),
    (reply) => {
      const { text, facts } = jobResult("Found.", reply);
      return { text, facts: { ...facts, input: reply.input } };
    },
  ),
});

const cancel_job = kit.defineTool({
  title: "Cancel a job",
  description: `Cancels a job; its executor learns of it at its next report. An ended job is returned unchanged. ${kit.KEEPS_TOKEN}`,
  route: "cancelJob",
  // A key is accepted as in every write. A second cancel does nothing, with or without one.
  extraInput: { ...kit.idempotentInput, job_id },
  ...kit.DESTRUCTIVE,
  run: kit.runKeepingToken(
    ({ jobs }, credential, { reason }, args) => jobs.cancel(credential, args.job_id, reason),
    (reply) => jobResult("Done.", reply),
  ),
});

export const jobTools = { submit_job, get_job, cancel_job };
