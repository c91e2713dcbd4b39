/** Jobs over HTTP, as those see them who give them. */
import { LIMITS } from "../domain/limits";
import type { JobGateway } from "../gateway/job-gateway";
import { answerJson, replayedHeader } from "./answers";
import { refused, type HandlersOf } from "./handler";

export const jobHandlers: HandlersOf<"submitJob" | "listJobs" | "getJob" | "cancelJob"> = {
  async submitJob({ jobs, presented, body, idempotencyKey }) {
    const submission = body as Parameters<JobGateway["submit"]>[1];
    const reply = await jobs.submit(presented, submission, idempotencyKey);
    if (!reply.ok) return refused(reply);
    const { job, replayed } = reply.value;
    return answerJson(201, { job }, replayedHeader(replayed));
  },

  async listJobs({ jobs, presented, query }) {
    const { cursor = 0, limit = LIMITS.pageEventsDefault, ...filter } = query;
    const reply = await jobs.list(presented, { ...filter, after: cursor, limit });
    return reply.ok
      ? answerJson(200, { jobs: reply.value.jobs, nextCursor: reply.value.next })
      : refused(reply);
  },

  async getJob({ jobs, presented, params }) {
    const reply = await jobs.get(presented, params["jobId"] ?? "");
    if (!reply.ok) return refused(reply);
    const { job, input } = reply.value;
    return answerJson(200, { job, input });
  },

  async cancelJob({ jobs, presented, params, body }) {
    const reply = await jobs.cancel(presented, params["jobId"] ?? "", body.reason);
    return reply.ok ? answerJson(200, { job: reply.value.job }) : refused(reply);
  },
};
