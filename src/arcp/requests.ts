/** Handles the requests of an established connection. Each handler returns a failure, or null. */
import type * as z from "zod";
import { invalid, type Failure } from "../domain/failure";
import { parseJobId } from "../domain/jobs/job";
import type { JobSubmission } from "../domain/jobs/job-rules";
import type { ArcpGateway, Bearer, ArcpSession } from "../gateway/arcp-gateway";
import type { Gateway } from "../gateway/gateway";
import type { JobGateway } from "../gateway/job-gateway";
import { parseAs } from "../protocol/parse-json";
import { jobPayload, listPayload, reasonPayload, submitPayload, type Envelope } from "./frame";
import { acceptedFrame, listedJob, subscribedFrame, type OutgoingFrame } from "./outgoing-frame";
import type { Watchers } from "./watchers";

export interface Gateways {
  readonly sessions: Gateway;
  readonly jobs: JobGateway;
  readonly arcp: ArcpGateway;
}

/** What request handlers act on and answer through. */
export interface ConnectionContext {
  readonly gateways: Gateways;
  readonly session: ArcpSession;
  readonly bearer: Bearer | null;
  readonly watchers: Watchers;
  send(frame: OutgoingFrame): void;
  close(reason: string): void;
}

type RequestHandler = (context: ConnectionContext, message: Envelope) => Promise<Failure | null>;
type PayloadHandler<T> = (
  context: ConnectionContext,
  payload: T,
  message: Envelope,
) => Promise<Failure | null>;

/** Validates the payload before it calls the handler. */
const withPayload =
  <T>(schema: z.ZodType<T>, handler: PayloadHandler<T>): RequestHandler =>
  async (context, message) => {
    const payload = parseAs(schema, message.payload);
    return payload.ok ? handler(context, payload.value, message) : payload.error;
  };

export const handleRequest: RequestHandler = async (context, message) => {
  const handler = Object.hasOwn(HANDLERS, message.type) ? HANDLERS[message.type] : undefined;
  return handler === undefined
    ? invalid("this message type is not known", "type")
    : handler(context, message);
};

const DEFAULT_LIMIT = 100;

const submit = withPayload(submitPayload, async (context, payload, { trace_id: traceId }) => {
  const { agent, input = null, idempotency_key: key, ...rest } = payload;
  const { lease_request: lease, max_runtime_sec: seconds, close_policy: closePolicy } = rest;
  const leaseUntil = rest.lease_constraints?.expires_at;
  const submission = {
    agent,
    input,
    lease: lease ?? undefined,
    leaseUntil: leaseUntil ?? undefined,
    maxRuntimeMs: seconds == null ? undefined : Math.ceil(seconds * 1000),
    closePolicy: closePolicy ?? undefined,
    traceId: traceId ?? undefined,
  } as JobSubmission;
  const { gateways, session } = context;
  const reply = await gateways.jobs.submit(session.credential, submission, key ?? null);
  if (!reply.ok) return reply.failure;
  context.send(acceptedFrame(reply.value.job, traceId ?? null));
  return null;
});

/** The job that a message is about: named in the payload or in the envelope. */
const jobIn = (message: Envelope, payloadJobId: string | null | undefined): string =>
  payloadJobId ?? message.job_id ?? "";

const isOwn = ({ session }: ConnectionContext, jobId: string): boolean =>
  parseJobId(jobId)?.objectIdHex === session.credential.objectIdHex;

const cancel = withPayload(
  jobPayload,
  async (context, { job_id: payloadJobId, reason }, message) => {
    const jobId = jobIn(message, payloadJobId);
    if (!isOwn(context, jobId)) return otherJobFailure(context, jobId);
    const { gateways, session } = context;
    const reply = await gateways.jobs.cancel(session.credential, jobId, reason ?? undefined);
    if (!reply.ok) return reply.failure;
    const { status, traceId, endedAt } = reply.value.job;
    if (status !== "cancelled") return invalid(`the job has already ended: ${status}`, "job_id");
    const payload = { job_id: jobId, cancelled_at: endedAt };
    context.send({ type: "job.cancelled", job_id: jobId, trace_id: traceId, payload });
    return null;
  },
);

/** Only a caller who may watch a job learns that it exists. */
async function otherJobFailure(
  { gateways, bearer }: ConnectionContext,
  jobId: string,
): Promise<Failure> {
  const watched = bearer === null ? null : await gateways.arcp.watch(bearer, jobId, null);
  if (watched?.ok === false && watched.failure.code === "scope_denied") return watched.failure;
  return watched?.ok === true
    ? { code: "scope_denied", needed: "own", why: "not_yours" }
    : { code: "not_found", what: "job" };
}

const listJobs = withPayload(listPayload, async (context, { filter, limit, cursor }, message) => {
  const { gateways, session } = context;
  const reply = await gateways.jobs.list(session.credential, {
    after: Number(cursor ?? 0),
    limit: limit ?? DEFAULT_LIMIT,
    status: filter?.status ?? undefined,
    agent: filter?.agent ?? undefined,
    since: filter?.created_after ?? undefined,
    until: filter?.created_before ?? undefined,
  });
  if (!reply.ok) return reply.failure;
  const { jobs, next } = reply.value;
  const payload = {
    request_id: message.id,
    jobs: jobs.map(listedJob),
    next_cursor: next === null ? null : String(next),
  };
  context.send({ type: "session.jobs", payload });
  return null;
});

const subscribe = withPayload(jobPayload, async (context, payload, message) => {
  const jobId = jobIn(message, payload.job_id);
  const { gateways, session, bearer, watchers } = context;
  if (isOwn(context, jobId)) {
    const own = await gateways.jobs.get(session.credential, jobId);
    if (!own.ok) return own.failure;
    // Its events are already in this stream.
    context.send(subscribedFrame(own.value.job, own.value.job.lastEventSeq + 1, false));
    return null;
  }
  const { history, from_event_seq: requestedSeq } = payload;
  const isReplayed = history === true || typeof requestedSeq === "number";
  const from = isReplayed ? Math.max(1, requestedSeq ?? 1) : null;
  const watched = bearer === null ? null : await gateways.arcp.watch(bearer, jobId, from);
  if (watched === null) return { code: "not_found", what: "job" };
  if (!watched.ok) return watched.failure;
  const { job, head } = watched.value;
  if (!watchers.has(jobId)) {
    const saved = await gateways.arcp.save(session.credential, "saveWatchCursor", {
      jobId,
      cursor: head,
    });
    if (!saved.ok) return saved.failure;
  }
  context.send(subscribedFrame(job, from ?? job.lastEventSeq + 1, isReplayed));
  watchers.start(jobId, head);
  return null;
});

const unsubscribe = withPayload(jobPayload, async (context, payload, message) => {
  const jobId = jobIn(message, payload.job_id);
  context.watchers.stop(jobId);
  const { gateways, session } = context;
  const reply = await gateways.arcp.save(session.credential, "saveWatchCursor", {
    jobId,
    cursor: null,
  });
  return reply.ok ? null : reply.failure;
});

/** Ends the connection. Jobs continue unless their policy says otherwise, and the session can be resumed. */
const close = withPayload(reasonPayload, async (context, payload) => {
  const reason = payload.reason ?? undefined;
  const { gateways, session } = context;
  const reply = await gateways.jobs.close(session.credential, reason);
  if (!reply.ok) return reply.failure;
  context.send({ type: "session.closed", payload: reason === undefined ? {} : { reason } });
  context.close("closed");
  return null;
});

const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  "job.submit": submit,
  "job.cancel": cancel,
  "job.subscribe": subscribe,
  "job.unsubscribe": unsubscribe,
  "session.list_jobs": listJobs,
  "session.bye": close,
  "session.close": close,
};

/** Is this a message type that the server knows? */
export const isRequest = (type: string): boolean =>
  type === "session.hello" || type === "session.resume" || Object.hasOwn(HANDLERS, type);
