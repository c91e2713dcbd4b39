/** What executors ask: the next job of their agent, and what they report of one they hold. */
import type { Report } from "../domain/jobs/job-rules";
import { LIMITS } from "../domain/limits";
import { ok } from "../domain/result";
import { answerEmpty, answerJson, answerProblem, replayedHeader } from "./answers";
import type { HandlersOf, Input } from "./handler";

type ReportId = "reportJobEvents" | "reportJobHeartbeat" | "reportJobResult" | "reportJobError";

const reporting =
  (what: Report["what"]) =>
  async ({ jobs, presented, body, idempotencyKey }: Input<ReportId>): Promise<Response> => {
    const report = { ...(body as object), what } as Report;
    const reply = await jobs.report(presented, ok(report), idempotencyKey);
    if (!reply.ok) return answerProblem(reply.failure);
    const { replayed, ...reported } = reply.value;
    return answerJson(200, reported, replayedHeader(replayed));
  };

export const executorHandlers: HandlersOf<"claimJob" | ReportId> = {
  async claimJob({ jobs, presented, body, signal }) {
    const { waitMs = 0, leaseMs = LIMITS.jobLeaseDefaultMs } = body;
    const claimed = await jobs.claim(presented, waitMs, leaseMs, signal);
    if (!claimed.ok) return answerProblem(claimed.failure);
    return claimed.value === null ? answerEmpty(204) : answerJson(200, claimed.value);
  },

  reportJobEvents: reporting("events"),
  reportJobHeartbeat: reporting("heartbeat"),
  reportJobResult: reporting("result"),
  reportJobError: reporting("error"),
};
