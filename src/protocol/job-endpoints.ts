/** Routes of jobs, and of the executors that do them. */
import * as z from "zod";
import { type Endpoint, BODY, reads, TOKEN } from "./endpoint";
import * as jobs from "./jobs";

const REPORT = [
  "credential_missing",
  "token_invalid",
  "token_superseded",
  "illegal_transition",
  "expired",
  "gone",
  "rate_limited",
  ...BODY,
] as const;
/** What an executor says with its job token. */
function reporting<P extends string, B extends z.ZodType>(path: P, summary: string, body: B) {
  return {
    method: "post",
    path,
    summary,
    tag: "Executors",
    who: "job",
    body,
    headers: ["Idempotency-Key"],
    answers: { 200: { description: "Noted", schema: jobs.reported } },
    failures: REPORT,
  } as const;
}

export const jobEndpoints = {
  submitJob: {
    method: "post",
    path: "/sessions/{ref}/jobs",
    summary: "Submit a job to an agent; spends no token",
    tag: "Jobs",
    body: jobs.submitJobBody,
    headers: ["Idempotency-Key"],
    answers: { 201: { description: "Accepted", schema: jobs.submitted } },
    failures: [
      ...TOKEN,
      "not_found",
      "illegal_transition",
      "idempotency_mismatch",
      ...BODY,
      "not_configured",
    ],
  },
  listJobs: {
    ...reads("The session's jobs", "Jobs", "Oldest first", jobs.jobList),
    path: "/sessions/{ref}/jobs",
    query: jobs.jobsQuery,
  },
  getJob: {
    ...reads(
      "Read a job with its input, and its result once it has ended",
      "Jobs",
      "The job",
      jobs.jobContent,
    ),
    path: "/sessions/{ref}/jobs/{jobId}",
    failures: [...TOKEN, "not_found"],
  },
  cancelJob: {
    method: "post",
    path: "/sessions/{ref}/jobs/{jobId}/cancel",
    summary: "Cancel a job; for its submitter and participants with own. Spends no token",
    tag: "Jobs",
    body: jobs.cancelJobBody,
    bodyOptional: true,
    answers: { 200: { description: "The current state", schema: jobs.submitted } },
    failures: [...TOKEN, "not_found", "illegal_transition", ...BODY],
  },
  claimJob: {
    method: "post",
    path: "/agents/{name}/claim",
    summary: "For executors: claim the agent's next job, or wait for one",
    tag: "Executors",
    who: "agent",
    body: jobs.claimBody,
    bodyOptional: true,
    answers: {
      200: { description: "A job", schema: jobs.claimed },
      204: { description: "No job arrived in time" },
    },
    failures: ["credential_missing", "token_invalid", "not_found", ...BODY, "not_configured"],
  },
  reportJobEvents: reporting("/jobs/events", "Report what happens in a job", jobs.jobEventsBody),
  reportJobHeartbeat: {
    ...reporting("/jobs/heartbeat", "Keep the lease of a job", jobs.heartbeatBody),
    bodyOptional: true,
  },
  reportJobResult: reporting("/jobs/result", "End a job with its result", jobs.resultBody),
  reportJobError: reporting("/jobs/error", "End a job with an error", jobs.errorBody),
} as const satisfies Record<string, Endpoint>;
