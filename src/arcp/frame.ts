/**
 * Parses the frames that clients send: one JSON object per text frame. It accepts every form of a
 * resume, because the draft and its SDKs disagree; it is strict in what the server acts on and ignores
 * unknown members.
 */
import * as z from "zod";
import { CLOSE_POLICIES, JOB_STATUSES } from "../domain/jobs/job";
import { LIMITS } from "../domain/limits";
import { text } from "../protocol/request-parts";
import { anyJson } from "../protocol/session-schemas";
import { invalid, type Failure } from "../domain/failure";
import { isJsonObject, utf8Bytes } from "../domain/json";
import type { Result } from "../domain/result";
import type { ResumeInput } from "../gateway/arcp-gateway";
import { parseAs, parseJsonText } from "../protocol/parse-json";

export const ARCP_VERSION = "1.1";

const shortText = z.string().min(1).max(LIMITS.idempotencyKeyLength);
const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const object = z.record(z.string(), anyJson);
const time = z.iso.datetime({ offset: true }).transform((value) => Date.parse(value));
const closePolicy = z.enum(CLOSE_POLICIES);

const envelope = z.object({
  arcp: z.literal(ARCP_VERSION, { error: `the version must be "${ARCP_VERSION}"` }),
  id: shortText,
  type: z.string().min(1).max(LIMITS.jobIdentifierLength),
  session_id: z.string().nullish(),
  job_id: z.string().nullish(),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, { error: "must be 32 lowercase hexadecimal digits" })
    .nullish(),
  payload: object,
});
export type Envelope = z.output<typeof envelope>;

const auth = z.object({ scheme: z.string().nullish(), token: z.string().nullish() });

/** A resume is nested, under either name of its token, or flat next to the other members. */
export const hello = z.object({
  client: z.object({ name: shortText, version: z.string().nullish() }).nullish(),
  auth: auth.nullish(),
  capabilities: z.object({ features: z.array(z.string()).nullish() }).nullish(),
  close_policy: closePolicy.nullish(),
  resume: z
    .object({
      session_id: z.string().nullish(),
      resume_token: z.string().nullish(),
      token: z.string().nullish(),
      last_event_seq: seq.nullish(),
    })
    .nullish(),
  resume_token: z.string().nullish(),
  last_event_seq: seq.nullish(),
});
type Hello = z.output<typeof hello>;

/** The resume that a hello or a `session.resume` asks for. */
export function resumeIn(payload: Hello, isResume: boolean): ResumeInput | null {
  const { resume } = payload;
  const token = resume?.resume_token ?? resume?.token ?? payload.resume_token ?? null;
  if (token === null && (resume === null || resume === undefined) && !isResume) return null;
  return {
    token: token ?? "",
    lastEventSeq: resume?.last_event_seq ?? payload.last_event_seq ?? 0,
    sessionId: resume?.session_id ?? null,
  };
}

export const submitPayload = z.object({
  agent: z.string().min(1),
  input: anyJson.optional(),
  lease_request: object.nullish(),
  lease_constraints: z.object({ expires_at: time.nullish() }).nullish(),
  idempotency_key: shortText.nullish(),
  max_runtime_sec: z
    .number()
    .positive()
    .max(LIMITS.jobRuntimeMs / 1000)
    .nullish(),
  close_policy: closePolicy.nullish(),
});

export const jobPayload = z.object({
  job_id: z.string().nullish(),
  reason: text.nullish(),
  from_event_seq: seq.nullish(),
  history: z.boolean().nullish(),
});

export const listPayload = z.object({
  filter: z
    .object({
      status: z.array(z.enum(JOB_STATUSES)).nullish(),
      agent: z.string().nullish(),
      created_after: time.nullish(),
      created_before: time.nullish(),
    })
    .nullish(),
  limit: z.int().min(1).max(LIMITS.pageEvents).nullish(),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, { error: "must be a next_cursor" })
    .nullish(),
});

export const reasonPayload = z.object({ reason: text.nullish() });
export const pingPayload = z.object({ nonce: text.nullish() });
export const pongPayload = z.object({ ping_nonce: z.string().nullish() });
export const ackPayload = z.object({ last_processed_seq: seq });

/** A frame that is not a valid envelope, with the id of its message if it has one. */
interface BadFrame {
  readonly failure: Failure;
  readonly id: string | null;
}

const refuseFrame = (failure: Failure, id: string | null = null): Result<never, BadFrame> => ({
  ok: false,
  error: { failure, id },
});

export function readFrame(data: unknown): Result<Envelope, BadFrame> {
  if (typeof data !== "string") return refuseFrame(invalid("a frame must be JSON text"));
  if (utf8Bytes(data) > LIMITS.arcpFrameBytes) {
    return refuseFrame({
      code: "too_large",
      what: "a frame, in bytes",
      limit: LIMITS.arcpFrameBytes,
    });
  }
  const value = parseJsonText(data);
  if (!value.ok) return refuseFrame(value.error);
  const parsed = parseAs(envelope, value.value);
  if (parsed.ok) return parsed;
  const id = isJsonObject(value.value) ? value.value["id"] : undefined;
  return refuseFrame(
    parsed.error,
    typeof id === "string" && id.length <= LIMITS.textLength ? id : null,
  );
}
