/** Frames as the runtime sends them. */
import type { LogEvent } from "../domain/event";
import type { JobView } from "../domain/job";
import type { JsonObject } from "../domain/json";
import { ARCP_VERSION } from "./frame";

export interface Outgoing {
  readonly type: string;
  readonly payload: object;
  readonly job_id?: string;
  readonly trace_id?: string | null;
  readonly event_seq?: number;
  readonly id?: string;
}

export const encodeFrame = (sessionId: string, frame: Outgoing): string => {
  const { id = `msg_${crypto.randomUUID()}`, type, job_id, trace_id, event_seq, payload } = frame;
  return JSON.stringify({
    arcp: ARCP_VERSION,
    id,
    type,
    session_id: sessionId,
    ...(job_id === undefined ? {} : { job_id }),
    ...(trace_id === undefined || trace_id === null ? {} : { trace_id }),
    ...(event_seq === undefined ? {} : { event_seq }),
    payload,
  });
};

/** A numbered event of the log. Its id is the same however often it is sent. */
export function eventFrame(sessionId: string, { type, at, payload }: LogEvent): Outgoing {
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
    ...(resultSize === undefined ? {} : { result_size: resultSize }),
    ...(summary === undefined ? {} : { summary }),
  }),
  "job.error": ({ finalStatus, code, message, retryable, attempts }) => ({
    final_status: finalStatus,
    code,
    message,
    retryable,
    ...(attempts === undefined ? {} : { details: { attempts } }),
  }),
};

const constraintsOf = ({ leaseUntil }: JobView): object =>
  leaseUntil === null ? {} : { lease_constraints: { expires_at: leaseUntil } };

export const acceptedFrame = (job: JobView, traceId: string | null): Outgoing => ({
  type: "job.accepted",
  job_id: job.id,
  trace_id: traceId ?? job.traceId,
  payload: {
    job_id: job.id,
    agent: job.agent,
    lease: job.lease ?? {},
    ...constraintsOf(job),
    accepted_at: job.createdAt,
    ...(traceId === null && job.traceId === null ? {} : { trace_id: traceId ?? job.traceId }),
  },
});

export const listedJob = (job: JobView): object => ({
  job_id: job.id,
  agent: job.agent,
  status: job.status,
  lease: job.lease ?? {},
  ...constraintsOf(job),
  parent_job_id: null,
  created_at: job.createdAt,
  trace_id: job.traceId,
  last_event_seq: job.lastEventSeq,
});

export const subscribedFrame = (job: JobView, from: number, replayed: boolean): Outgoing => ({
  type: "job.subscribed",
  job_id: job.id,
  trace_id: job.traceId,
  payload: {
    job_id: job.id,
    current_status: job.status,
    agent: job.agent,
    lease: job.lease ?? {},
    parent_job_id: null,
    trace_id: job.traceId,
    subscribed_from: from,
    replayed,
  },
});
