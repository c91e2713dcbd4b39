/** Routes of jobs, and of the executors that do them. */
import * as z from "zod";
import { done, made, posts, reads, type Endpoint } from "./endpoint";
import * as jobs from "./jobs";

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
    answers: done("Noted", jobs.reported),
    failures: ["illegal_transition"],
  } as const;
}

export const jobEndpoints = {
  submitJob: {
    ...posts("Submit a job to an agent; spends no token", "Jobs"),
    path: "/sessions/{ref}/jobs",
    body: jobs.submitJobBody,
    headers: ["Idempotency-Key"],
    answers: made("Accepted", jobs.submitted),
    failures: ["not_found", "illegal_transition", "idempotency_mismatch", "not_configured"],
  },
  listJobs: {
    ...reads("The session's jobs", "Jobs"),
    path: "/sessions/{ref}/jobs",
    query: jobs.jobsQuery,
    answers: done("Oldest first", jobs.jobList),
  },
  getJob: {
    ...reads("Read a job with its input, and its result once it has ended", "Jobs"),
    path: "/sessions/{ref}/jobs/{jobId}",
    answers: done("The job", jobs.jobContent),
    failures: ["not_found"],
  },
  cancelJob: {
    ...posts("Cancel a job; for its submitter and participants with own. Spends no token", "Jobs"),
    path: "/sessions/{ref}/jobs/{jobId}/cancel",
    body: jobs.cancelJobBody,
    answers: done("The current state", jobs.submitted),
    failures: ["not_found", "illegal_transition"],
  },
  claimJob: {
    ...posts("For executors: claim the agent's next job, or wait for one", "Executors"),
    path: "/agents/{name}/claim",
    who: "agent",
    body: jobs.claimBody,
    answers: {
      200: { description: "A job", schema: jobs.claimed },
      204: { description: "No job arrived in time" },
    },
    failures: ["not_found", "not_configured"],
  },
  reportJobEvents: reporting("/jobs/events", "Report what happens in a job", jobs.jobEventsBody),
  reportJobHeartbeat: reporting("/jobs/heartbeat", "Keep the lease of a job", jobs.heartbeatBody),
  reportJobResult: {
    ...reporting("/jobs/result", "End a job with its result", jobs.resultBody),
    bodyRequired: true,
  },
  reportJobError: reporting("/jobs/error", "End a job with an error", jobs.errorBody),
} as const satisfies Record<string, Endpoint>;
