/** The routes of executors: they present an agent's key or a job token, and no session. */
import type * as z from "zod";
import type { Failure } from "../domain/failure";
import type { Report } from "../domain/jobs/job-rules";
import { LIMITS } from "../domain/limits";
import { ok, type Result } from "../domain/result";
import type { JobGateway, PresentedJob } from "../gateway/job-gateway";
import type { ENDPOINTS, EndpointId } from "../protocol/endpoints";
import type { claimBody } from "../protocol/jobs";
import { answerEmpty, answerJson, answerProblem, replayedHeader } from "./answers";

type Table = typeof ENDPOINTS;
export type ExecutorEndpointId = {
  [K in EndpointId]: Table[K] extends { bearer: string } ? K : never;
}[EndpointId];

/** What was presented, as far as it can be checked before the body is read. */
type Executor =
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "job"; readonly presented: PresentedJob };

export async function admitExecutor(
  gateway: JobGateway,
  bearer: "agent" | "job",
  name: string,
  authorization: string | null,
): Promise<Result<Executor, Failure>> {
  if (bearer === "job") {
    const presented = await gateway.presentJob(authorization);
    return presented.ok ? ok({ kind: "job", presented: presented.value }) : presented;
  }
  const failure = await gateway.admitExecutor(name, authorization);
  return failure === null ? ok({ kind: "agent", name }) : { ok: false, error: failure };
}

const REPORTS: Readonly<Record<Exclude<ExecutorEndpointId, "claimJob">, Report["what"]>> = {
  reportJobEvents: "events",
  reportJobHeartbeat: "heartbeat",
  reportJobResult: "result",
  reportJobError: "error",
};

export async function serveExecutor(
  gateway: JobGateway,
  id: ExecutorEndpointId,
  executor: Executor,
  parsed: Result<{ readonly body: unknown; readonly idempotencyKey: string | null }, Failure>,
  signal?: AbortSignal,
): Promise<Response> {
  if (executor.kind === "agent" || id === "claimJob") {
    if (!parsed.ok) return answerProblem(parsed.error);
    const { waitMs = 0, leaseMs = LIMITS.jobLeaseDefaultMs } = parsed.value.body as z.output<
      typeof claimBody
    >;
    const name = executor.kind === "agent" ? executor.name : "";
    const claimed = await gateway.claim(name, waitMs, leaseMs, signal);
    if (!claimed.ok) return answerProblem(claimed.failure);
    return claimed.value === null ? answerEmpty(204) : answerJson(200, claimed.value);
  }
  const report = parsed.ok
    ? ok({ ...(parsed.value.body as object), what: REPORTS[id] } as Report)
    : parsed;
  const key = parsed.ok ? parsed.value.idempotencyKey : null;
  const reply = await gateway.report(executor.presented, report, key);
  if (!reply.ok) return answerProblem(reply.failure);
  const { replayed, ...body } = reply.value;
  return answerJson(200, body, replayedHeader(replayed));
}
