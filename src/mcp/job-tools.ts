/** Tools that give work to agents elsewhere, and look after it. None spends the token. */
import * as z from "zod";
import type { JobView } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import { cancelJobBody, jobSchema, submitJobBody } from "../protocol/jobs";
import { anyJson } from "../protocol/session";
import {
  defineTool,
  handleInput,
  handleOutput,
  keeping,
  KEEPS,
  SAME_TOKEN,
  writeInput,
  type HandleArgs,
  type Told,
} from "./tool-kit";

const LIFETIME = "A job goes on without you, at most until the session ends.";

/** What a model acts by; the answer holds the whole job. */
const shownJob = jobSchema.pick({
  id: true,
  agent: true,
  status: true,
  createdAt: true,
  endedAt: true,
  attempts: true,
  result: true,
  resultId: true,
  summary: true,
  error: true,
});

const job_id = z.string().describe("The job's id, from submit_job");

function told(
  done: string,
  { job, expiresAt }: { readonly job: JobView; readonly expiresAt: string },
  { resume_token }: HandleArgs,
): Told {
  const text = `${done} Job ${job.id} is ${job.status}. ${SAME_TOKEN}`;
  return { text, facts: { resume_token, expires_at: expiresAt, job } };
}

const submitted = submitJobBody.shape;

const submit_job = defineTool({
  title: "Submit a job to an agent",
  description: `Submits a job to an agent that this server lists; an executor elsewhere runs it. ${LIFETIME} Follow it with get_job, or read_events with types ["job.*"]. ${KEEPS} With an idempotency_key a repeated call submits once.`,
  input: z.object({
    ...handleInput,
    idempotency_key: writeInput.idempotency_key,
    agent: submitted.agent,
    input: submitted.input,
    max_runtime_ms: submitted.maxRuntimeMs,
    close_policy: submitted.closePolicy,
  }),
  output: z.object({ ...handleOutput, job: shownJob }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  run: keeping(
    ({ jobs }, presented, args) => {
      const { agent, max_runtime_ms: maxRuntimeMs, close_policy: closePolicy } = args;
      const input = args.input as JobSubmission["input"];
      const submission = { agent, input, maxRuntimeMs, closePolicy };
      return jobs.submit(presented, submission, args.idempotency_key ?? null);
    },
    (reply, args) => told("Submitted.", reply, args),
  ),
});

const get_job = defineTool({
  title: "Read a job",
  description: `Returns the job with its input, and its result or error once it has ended. ${KEEPS} Changes nothing.`,
  input: z.object({ ...handleInput, job_id }),
  output: z.object({ ...handleOutput, job: shownJob, input: anyJson }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ jobs }, presented, args) => jobs.get(presented, args.job_id),
    (reply, args) => {
      const { text, facts } = told("Found.", reply, args);
      return { text, facts: { ...facts, input: reply.input } };
    },
  ),
});

const cancel_job = defineTool({
  title: "Cancel a job",
  description: `Cancels a job; its executor learns it with its next report. Cancelling an ended job changes nothing and shows how it ended. ${KEEPS}`,
  input: z.object({
    ...handleInput,
    job_id,
    reason: cancelJobBody.shape.reason,
    // Taken as everywhere; a second cancel does nothing with or without one.
    idempotency_key: writeInput.idempotency_key,
  }),
  output: z.object({ ...handleOutput, job: shownJob }),
  readOnly: false,
  destructive: true,
  idempotent: true,
  run: keeping(
    ({ jobs }, presented, args) => jobs.cancel(presented, args.job_id, args.reason),
    (reply, args) => told("Done.", reply, args),
  ),
});

export const jobTools = { submit_job, get_job, cancel_job };
