/** Routes of jobs and of their executors. */
import * as z from "zod";
import { okResponse, createdResponse, postRoute, readRoute, type ApiRoute } from "./api-route";
import * as jobs from "./job-schemas";

/** A report of an executor, with its job token. */
function reportRoute<P extends string, B extends z.ZodType>(path: P, summary: string, body: B) {
  return {
    method: "post",
    path,
    summary,
    tag: "Executors",
    auth: "job",
    body,
    headers: ["Idempotency-Key"],
    responses: okResponse("Noted", jobs.reportResponse),
    failures: ["illegal_transition"],
  } as const;
}

export const jobRoutes = {
  submitJob: {
    ...postRoute("Submit a job to an agent; spends no token", "Jobs"),
    path: "/sessions/{ref}/jobs",
    body: jobs.submitJobBody,
    headers: ["Idempotency-Key"],
    responses: createdResponse("Accepted", jobs.jobResponse),
    failures: ["not_found", "illegal_transition", "idempotency_mismatch", "not_configured"],
  },
  listJobs: {
    ...readRoute("The session's jobs", "Jobs"),
    path: "/sessions/{ref}/jobs",
    query: jobs.jobsQuery,
    responses: okResponse("Oldest first", jobs.jobList),
  },
  getJob: {
    ...readRoute("Read a job with its input, and its result once it has ended", "Jobs"),
    path: "/sessions/{ref}/jobs/{jobId}",
    responses: okResponse("The job", jobs.jobWithInput),
    failures: ["not_found"],
  },
  cancelJob: {
    ...postRoute(
      "Cancel a job; for its submitter and participants with own. Spends no token",
      "Jobs",
    ),
    path: "/sessions/{ref}/jobs/{jobId}/cancel",
    body: jobs.cancelJobBody,
    responses: okResponse("The current state", jobs.jobResponse),
    failures: ["not_found", "illegal_transition"],
  },
  claimJob: {
    ...postRoute("For executors: claim the agent's next job, or wait for one", "Executors"),
    path: "/agents/{name}/claim",
    auth: "agent",
    body: jobs.claimBody,
    responses: {
      200: { description: "A job", schema: jobs.claimResponse },
      204: { description: "No job arrived in time" },
    },
    failures: ["not_found", "not_configured"],
  },
  reportJobEvents: reportRoute("/jobs/events", "Report what happens in a job", jobs.jobEventsBody),
  reportJobHeartbeat: reportRoute("/jobs/heartbeat", "Keep the lease of a job", jobs.heartbeatBody),
  reportJobResult: {
    ...reportRoute("/jobs/result", "End a job with its result", jobs.resultBody),
    bodyRequired: true,
  },
  reportJobError: reportRoute("/jobs/error", "End a job with an error", jobs.errorBody),
} as const satisfies Record<string, ApiRoute>;
