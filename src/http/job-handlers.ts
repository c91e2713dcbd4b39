/** Jobs over HTTP: for participants who submit them, and for executors who claim and report them. */
import { LIMITS } from "../domain/limits";
import { JobGateway } from "../gateway/job-gateway";
import { answerJson, replayedHeader, answerEmpty, answerProblem } from "./answers";
import { answerReply, answerRefusal, type SomeHandlers, type Input } from "./handler";
import type { JobReport } from "../domain/jobs/job-rules";
import { ok } from "../domain/result";

export const jobHandlers = {
  async submitJob({ use, principal, body, idempotencyKey }) {
    const submission = body as Parameters<JobGateway["submit"]>[1];
    const reply = await use(JobGateway).submit(principal, submission, idempotencyKey);
    if (!reply.ok) return answerRefusal(reply);
    const { job, replayed } = reply.value;
    return answerJson(201, { job }, replayedHeader(replayed));
  },

  async listJobs({ use, principal, query }) {
    const { cursor = 0, limit = LIMITS.pageEventsDefault, ...filter } = query;
    const reply = await use(JobGateway).list(principal, { ...filter, after: cursor, limit });
    return answerReply(reply, ({ jobs, next }) => ({ jobs, nextCursor: next }));
  },

  async getJob({ use, principal, params }) {
    const reply = await use(JobGateway).get(principal, params["jobId"] ?? "");
    return answerReply(reply, ({ job, input }) => ({ job, input }));
  },

  async cancelJob({ use, principal, params, body }) {
    const reply = await use(JobGateway).cancel(principal, params["jobId"] ?? "", body.reason);
    return answerReply(reply, ({ job }) => ({ job }));
  },
} satisfies SomeHandlers;

/** The reports of an executor for a job that it holds. */
type ReportId = "reportJobEvents" | "reportJobHeartbeat" | "reportJobResult" | "reportJobError";

const reportHandler =
  (what: JobReport["what"]) =>
  async ({ use, principal, body, idempotencyKey }: Input<ReportId>): Promise<Response> => {
    const report = { ...(body as object), what } as JobReport;
    const reply = await use(JobGateway).report(principal, ok(report), idempotencyKey);
    if (!reply.ok) return answerProblem(reply.failure);
    const { replayed, ...reported } = reply.value;
    return answerJson(200, reported, replayedHeader(replayed));
  };

export const executorHandlers = {
  async claimJob({ use, principal, body, signal }) {
    const { waitMs = 0, leaseMs = LIMITS.jobLeaseDefaultMs } = body;
    const claimed = await use(JobGateway).claim(principal, waitMs, leaseMs, signal);
    if (!claimed.ok) return answerProblem(claimed.failure);
    return claimed.value === null ? answerEmpty(204) : answerJson(200, claimed.value);
  },

  reportJobEvents: reportHandler("events"),
  reportJobHeartbeat: reportHandler("heartbeat"),
  reportJobResult: reportHandler("result"),
  reportJobError: reportHandler("error"),
} satisfies SomeHandlers;
