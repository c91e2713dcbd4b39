/**
 * Builds the frames that the runtime sends. A member without a value is omitted: clients check frames
 * against schemas that allow null only for `next_cursor` and for what others wrote (`result`, `body`).
 */
import { omitUndefined } from "../domain/result";
import type { LogEvent } from "../domain/log/event";
import type { JobView } from "../domain/jobs/job";
import type { JsonObject } from "../domain/json";
import { ARCP_VERSION } from "./frame";

export interface OutgoingFrame {
  readonly type: string;
  readonly payload: object;
  readonly job_id?: string | undefined;
  readonly trace_id?: string | null | undefined;
  readonly event_seq?: number;
  readonly id?: string;
}

export const encodeFrame = (sessionId: string, frame: OutgoingFrame): string => {
  const { id = `msg_${crypto.randomUUID()}`, type, job_id, trace_id, event_seq, payload } = frame;
  return JSON.stringify({
    arcp: ARCP_VERSION,
    id,
    type,
    session_id: sessionId,
    job_id,
    trace_id: trace_id ?? undefined,
    event_seq,
    payload,
  });
};

/** A numbered event of the log. Its id is the same each time it is sent. */
export function eventFrame(sessionId: string, { type, at, payload }: LogEvent): OutgoingFrame {
  const eventSeq = Number(payload["eventSeq"]);
  const traceId = payload["traceId"];
  return {
    id: `evt_${sessionId.slice(-12)}_${eventSeq}`,
    type,
    job_id: String(payload["jobId"]),
    ...(typeof traceId === "string" ? { trace_id: traceId } : {}),
    event_seq: eventSeq,
    payload: PAYLOADS[type]?.(payload, at) ?? {},
  };
}

const PAYLOADS: Readonly<Record<string, (payload: JsonObject, at: string) => object>> = {
  "job.event": ({ kind, body }, ts) => ({ kind, ts, body }),
  "job.result": ({ result, resultId, resultSize, summary }) => ({
    final_status: "success",
    ...(resultId === undefined ? { result: result ?? null } : { result_id: resultId }),
    ...omitUndefined({ result_size: resultSize, summary }),
  }),
  "job.error": ({ finalStatus, code, message, retryable, attempts }) => ({
    final_status: finalStatus,
    code,
    message,
    retryable,
    ...(attempts === undefined ? {} : { details: { attempts } }),
  }),
};

/** The members of a job that every message about it has. No job has a parent here. */
const jobMembers = ({ id, agent, lease, leaseUntil, traceId }: JobView): object => ({
  job_id: id,
  agent,
  lease: lease ?? {},
  lease_constraints: leaseUntil === null ? undefined : { expires_at: leaseUntil },
  trace_id: traceId ?? undefined,
});

export const acceptedFrame = (job: JobView, sentTraceId: string | null): OutgoingFrame => {
  const trace_id = sentTraceId ?? job.traceId ?? undefined;
  return {
    type: "job.accepted",
    job_id: job.id,
    trace_id,
    payload: { ...jobMembers(job), accepted_at: job.createdAt, trace_id },
  };
};

export const listedJob = (job: JobView): object => ({
  ...jobMembers(job),
  status: job.status,
  created_at: job.createdAt,
  last_event_seq: job.lastEventSeq,
});

export const subscribedFrame = (job: JobView, from: number, replayed: boolean): OutgoingFrame => ({
  type: "job.subscribed",
  job_id: job.id,
  trace_id: job.traceId,
  payload: { ...jobMembers(job), current_status: job.status, subscribed_from: from, replayed },
});
