/** Jobs over HTTP, as those see them who give them. */
import { LIMITS } from "../domain/limits";
import { JobGateway } from "../gateway/job-gateway";
import { answerJson, replayedHeader, answerEmpty, answerProblem } from "./answers";
import { answered, refused, type SomeHandlers, type Input } from "./handler";
import type { Report } from "../domain/jobs/job-rules";
import { ok } from "../domain/result";

export const jobHandlers = {
  async submitJob({ use, presented, body, idempotencyKey }) {
    const submission = body as Parameters<JobGateway["submit"]>[1];
    const reply = await use(JobGateway).submit(presented, submission, idempotencyKey);
    if (!reply.ok) return refused(reply);
    const { job, replayed } = reply.value;
    return answerJson(201, { job }, replayedHeader(replayed));
  },

  async listJobs({ use, presented, query }) {
    const { cursor = 0, limit = LIMITS.pageEventsDefault, ...filter } = query;
    const reply = await use(JobGateway).list(presented, { ...filter, after: cursor, limit });
    return answered(reply, ({ jobs, next }) => ({ jobs, nextCursor: next }));
  },

  async getJob({ use, presented, params }) {
    const reply = await use(JobGateway).get(presented, params["jobId"] ?? "");
    return answered(reply, ({ job, input }) => ({ job, input }));
  },

  async cancelJob({ use, presented, params, body }) {
    const reply = await use(JobGateway).cancel(presented, params["jobId"] ?? "", body.reason);
    return answered(reply, ({ job }) => ({ job }));
  },
} satisfies SomeHandlers;

/** What executors ask: the next job of their agent, and what they report of one they hold. */
type ReportId = "reportJobEvents" | "reportJobHeartbeat" | "reportJobResult" | "reportJobError";

const reporting =
  (what: Report["what"]) =>
  async ({ use, presented, body, idempotencyKey }: Input<ReportId>): Promise<Response> => {
    const report = { ...(body as object), what } as Report;
    const reply = await use(JobGateway).report(presented, ok(report), idempotencyKey);
    if (!reply.ok) return answerProblem(reply.failure);
    const { replayed, ...reported } = reply.value;
    return answerJson(200, reported, replayedHeader(replayed));
  };

export const executorHandlers = {
  async claimJob({ use, presented, body, signal }) {
    const { waitMs = 0, leaseMs = LIMITS.jobLeaseDefaultMs } = body;
    const claimed = await use(JobGateway).claim(presented, waitMs, leaseMs, signal);
    if (!claimed.ok) return answerProblem(claimed.failure);
    return claimed.value === null ? answerEmpty(204) : answerJson(200, claimed.value);
  },

  reportJobEvents: reporting("events"),
  reportJobHeartbeat: reporting("heartbeat"),
  reportJobResult: reporting("result"),
  reportJobError: reporting("error"),
} satisfies SomeHandlers;
