/**
 * Every route as data: what it takes, what it answers, how it can fail. The HTTP face binds a handler
 * to each, OpenAPI is written from it, and a route that is not here does not exist.
 */
import * as z from "zod";
import type { FailureCode } from "../domain/failure";
import {
  appendBody,
  checkpointBody,
  confirmUploadBody,
  requestUploadBody,
  forkBody,
  pinBody,
  stopBody,
  trimBody,
  auditQuery,
  commentBody,
  createBody,
  emptyBody,
  eventsQuery,
  extendBody,
  handoffBody,
  reasonBody,
  requestChangesBody,
  requestInputBody,
  resumableQuery,
  resumeBody,
  revokeBody,
  setFieldsBody,
  validateBody,
} from "./requests";
import { STRATEGIES } from "../domain/policy";
import * as jobs from "./jobs";
import { isPlainAppend, isPlainFields } from "./plain-bodies";
import {
  anyJson,
  checkpointSchema,
  eventSchema,
  handoffSchema,
  seq,
  sessionSchema,
  timestamp,
  uploadSchema,
} from "./session";

export interface Endpoint {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly body?: z.ZodType;
  /** Tells a body that certainly has that shape and needs no parsing, because it comes often. */
  readonly isPlain?: (body: unknown) => boolean;
  /** A body of nothing but optional members may be left out. */
  readonly bodyOptional?: true;
  /** The body is a file, not JSON. */
  readonly takesFile?: true;
  readonly query?: z.ZodObject;
  /** What is presented where it is no resume token: an agent's key, or a job token. */
  readonly bearer?: "agent" | "job";
  readonly headers?: readonly (
    | "Idempotency-Key"
    | "If-Match"
    | "If-None-Match"
    | "Last-Event-ID"
  )[];
  readonly answers: Readonly<Record<number, Answer>>;
  readonly failures: readonly FailureCode[];
}

export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Also offered as one JSON document per line. */
  readonly lines?: z.ZodType;
  /** Also offered as a stream of server-sent events. */
  readonly stream?: true;
  /** A file, not JSON. */
  readonly file?: true;
}

const resumeToken = z
  .string()
  .describe("The next token of this participant; the one sent is spent");
const read = z.object({ session: sessionSchema }).meta({ id: "SessionAnswer" });
const written = z.object({ session: sessionSchema, resumeToken }).meta({ id: "WriteAnswer" });
const pausing = z
  .object({
    session: sessionSchema,
    resumeToken,
    already: z.boolean().describe("True when it was so before: nothing changed"),
  })
  .meta({ id: "PauseAnswer" });
const resumed = z
  .object({
    outcome: z.literal("resumed"),
    session: sessionSchema,
    resumeToken,
    events: z.array(eventSchema).describe("What followed lastEventSeq, this resume included"),
    head: seq,
    more: z.boolean().describe("Read on with GET …/events?after=<last seq received>"),
  })
  .meta({ id: "Resumed" });
const begunFresh = z
  .object({
    outcome: z.literal("fresh"),
    warning: z.object({
      code: z.enum(["token_invalid", "expired", "gone"]),
      requested: z.object({
        sessionId: z.string().nullable(),
        lastEventSeq: seq.nullable(),
      }),
      reason: z.string(),
    }),
    session: sessionSchema,
    resumeToken,
    events: z.array(eventSchema),
    head: seq,
    more: z.boolean(),
  })
  .meta({ id: "BegunFresh" });
const eventsPage = z
  .object({
    events: z.array(eventSchema),
    head: seq,
    nextAfter: seq.describe("Where the next page starts"),
    more: z.boolean(),
  })
  .meta({ id: "EventsPage" });
const auditPage = z
  .object({
    events: z.array(eventSchema),
    head: seq,
    nextCursor: seq,
    more: z.boolean(),
  })
  .meta({ id: "AuditPage" });

const checkpointed = z
  .object({ session: sessionSchema, resumeToken, checkpoint: checkpointSchema })
  .meta({ id: "CheckpointAnswer" });
const uploaded = z
  .object({ session: sessionSchema, resumeToken, upload: uploadSchema })
  .meta({ id: "UploadAnswer" });
const decisionSchema = z
  .object({
    strategy: z.enum(STRATEGIES),
    resumeAt: timestamp.nullable(),
    waitMs: z.int(),
    attempt: z.int().nullable().describe("The next attempt"),
    why: z.string(),
  })
  .meta({ id: "Decision" });

/** How every request with a token can fail. */
const TOKEN: readonly FailureCode[] = [
  "credential_missing",
  "token_invalid",
  "token_superseded",
  "expired",
  "gone",
  "scope_denied",
  "rate_limited",
];
const WRITE: readonly FailureCode[] = [
  ...TOKEN,
  "illegal_transition",
  "precondition_failed",
  "too_large",
  "unsupported_media_type",
];
const MOVE: readonly FailureCode[] = [...WRITE, "version_conflict"];

const WRITE_HEADERS = ["Idempotency-Key", "If-Match"] as const;
const writes = (summary: string, tag: string) =>
  ({
    method: "post",
    summary,
    tag,
    headers: WRITE_HEADERS,
    answers: { 200: { description: "Done", schema: written } },
  }) as const;

/** What an executor says with its job token. */
function reporting<P extends string, B extends z.ZodType>(path: P, summary: string, body: B) {
  return {
    method: "post",
    path,
    summary,
    tag: "Executors",
    bearer: "job",
    body,
    headers: ["Idempotency-Key"],
    answers: { 200: { description: "Noted", schema: jobs.reported } },
    failures: REPORT,
  } as const;
}
const REPORT = [
  "credential_missing",
  "token_invalid",
  "token_superseded",
  "illegal_transition",
  "expired",
  "gone",
  "rate_limited",
  "too_large",
  "unsupported_media_type",
] as const;

export const ENDPOINTS = {
  createSession: {
    method: "post",
    path: "/sessions",
    summary: "Begin a session",
    tag: "Sessions",
    body: createBody,
    bodyOptional: true,
    headers: ["Idempotency-Key"],
    answers: { 201: { description: "Begun. Location names it", schema: written } },
    failures: [
      "credential_missing",
      "token_invalid",
      "invalid_fields",
      "idempotency_mismatch",
      "rate_limited",
      "too_large",
      "unsupported_media_type",
    ],
  },
  getSession: {
    method: "get",
    path: "/sessions/{ref}",
    summary: "The session as it is",
    tag: "Sessions",
    headers: ["If-None-Match"],
    answers: {
      200: { description: "The session", schema: read },
      304: { description: "Not changed since the given ETag" },
    },
    failures: TOKEN,
  },
  setFields: {
    ...writes("Set fields, title and next step", "Document"),
    method: "patch",
    path: "/sessions/{ref}",
    body: setFieldsBody,
    isPlain: isPlainFields,
    failures: [...MOVE, "invalid_fields"],
  },
  purge: {
    method: "delete",
    path: "/sessions/{ref}",
    summary: "Remove the session for good, at once",
    tag: "Sessions",
    headers: ["If-Match"],
    answers: { 204: { description: "Gone. Repeating it gives 410, which means done" } },
    failures: WRITE,
  },
  resume: {
    method: "post",
    path: "/sessions/{ref}/resume",
    summary: "Continue where the work stopped; earlier tokens of the participant are fenced off",
    tag: "Resume",
    body: resumeBody,
    bodyOptional: true,
    headers: WRITE_HEADERS,
    answers: {
      200: { description: "Resumed", schema: resumed },
      201: { description: "Begun fresh, because onInvalid allowed it", schema: begunFresh },
    },
    failures: [...WRITE, "paused", "replay_gap", "idempotency_mismatch"],
  },
  resumable: {
    method: "get",
    path: "/sessions/{ref}/resumable",
    summary: "Would a resume succeed? Changes nothing",
    tag: "Resume",
    query: resumableQuery,
    answers: {
      200: {
        description: "What a resume would find",
        schema: z
          .object({
            resumable: z.boolean(),
            reason: z.string().describe("The code a resume would fail with").optional(),
            version: seq,
            head: seq,
            behindBy: z.int().describe("Events after lastEventSeq, or after the kept cursor"),
            expiresAt: timestamp,
          })
          .meta({ id: "Resumable" }),
      },
    },
    failures: TOKEN,
  },
  validate: {
    method: "post",
    path: "/sessions/{ref}/validate",
    summary: "Would a submit pass, with these fields on top? Changes nothing",
    tag: "Document",
    body: validateBody,
    bodyOptional: true,
    answers: {
      200: {
        description: "The verdict",
        schema: z
          .object({
            valid: z.boolean(),
            errors: z.array(
              z.object({
                field: z.string(),
                problem: z.enum(["missing", "invalid"]),
                message: z.string(),
              }),
            ),
            session: sessionSchema,
          })
          .meta({ id: "Validation" }),
      },
    },
    failures: [...TOKEN, "too_large", "unsupported_media_type"],
  },
  requestInput: {
    ...writes("Say that somebody must provide something", "Document"),
    path: "/sessions/{ref}/request-input",
    body: requestInputBody,
    bodyOptional: true,
    failures: MOVE,
  },
  submit: {
    ...writes("Submit, after validating the whole", "Review"),
    path: "/sessions/{ref}/submit",
    body: emptyBody,
    bodyOptional: true,
    failures: [...MOVE, "missing_fields", "invalid_fields"],
  },
  approve: {
    ...writes("Approve", "Review"),
    path: "/sessions/{ref}/approve",
    body: commentBody,
    bodyOptional: true,
    failures: MOVE,
  },
  reject: {
    ...writes("Reject", "Review"),
    path: "/sessions/{ref}/reject",
    body: reasonBody,
    bodyOptional: true,
    failures: MOVE,
  },
  requestChanges: {
    ...writes("Ask for changes, field by field", "Review"),
    path: "/sessions/{ref}/request-changes",
    body: requestChangesBody,
    bodyOptional: true,
    failures: MOVE,
  },
  finalize: {
    ...writes("Finalize", "Sessions"),
    path: "/sessions/{ref}/finalize",
    body: reasonBody,
    bodyOptional: true,
    failures: MOVE,
  },
  cancel: {
    ...writes("Cancel", "Sessions"),
    path: "/sessions/{ref}/cancel",
    body: reasonBody,
    bodyOptional: true,
    failures: MOVE,
  },
  pause: {
    ...writes("Hold back automation", "Sessions"),
    path: "/sessions/{ref}/pause",
    body: reasonBody,
    bodyOptional: true,
    answers: { 200: { description: "Paused", schema: pausing } },
    failures: WRITE,
  },
  unpause: {
    ...writes("Let automation go on", "Sessions"),
    path: "/sessions/{ref}/unpause",
    body: reasonBody,
    bodyOptional: true,
    answers: { 200: { description: "Not paused", schema: pausing } },
    failures: WRITE,
  },
  extend: {
    ...writes("Move the expiry to so long from now", "Sessions"),
    path: "/sessions/{ref}/extend",
    body: extendBody,
    failures: WRITE,
  },
  readEvents: {
    method: "get",
    path: "/sessions/{ref}/events",
    summary: "Replay the log, and go on live",
    tag: "Log",
    query: eventsQuery,
    headers: ["Last-Event-ID"],
    answers: {
      204: { description: "A stream that ended and has nothing more to say: do not come back" },
      200: {
        description: "A page, or the rest of the log by lines",
        schema: eventsPage,
        lines: eventSchema,
        stream: true,
      },
    },
    failures: [...TOKEN, "replay_gap"],
  },
  appendEvents: {
    method: "post",
    path: "/sessions/{ref}/events",
    summary: "Append events; spends no token",
    tag: "Log",
    body: appendBody,
    isPlain: isPlainAppend,
    headers: WRITE_HEADERS,
    answers: {
      201: {
        description: "Appended",
        schema: z.object({ first: seq, last: seq, head: seq }).meta({ id: "Appended" }),
      },
    },
    failures: [...MOVE, "idempotency_mismatch"],
  },
  audit: {
    method: "get",
    path: "/sessions/{ref}/audit",
    summary: "The log, filtered",
    tag: "Log",
    query: auditQuery,
    answers: {
      200: { description: "A page, or all of it by lines", schema: auditPage, lines: eventSchema },
    },
    failures: TOKEN,
  },
  createHandoff: {
    ...writes("Hand off: a token for an agent, a short link for a person", "Participants"),
    path: "/sessions/{ref}/handoffs",
    body: handoffBody,
    answers: {
      201: {
        description: "Made",
        schema: z
          .object({
            session: sessionSchema,
            resumeToken,
            handoff: handoffSchema,
            participantToken: z
              .string()
              .describe("For an agent: the first token of the new participant")
              .optional(),
          })
          .meta({ id: "HandoffMade" }),
      },
    },
    failures: WRITE,
  },
  listHandoffs: {
    method: "get",
    path: "/sessions/{ref}/handoffs",
    summary: "Handoffs: an owner sees all, others what they made",
    tag: "Participants",
    answers: {
      200: {
        description: "The handoffs",
        schema: z.object({ handoffs: z.array(handoffSchema) }).meta({ id: "Handoffs" }),
      },
    },
    failures: TOKEN,
  },
  revokeHandoff: {
    ...writes("Take a handoff back, with those it made", "Participants"),
    method: "delete",
    path: "/sessions/{ref}/handoffs/{handoffId}",
    failures: [...WRITE, "not_found"],
  },
  revoke: {
    ...writes("Revoke a participant or all others", "Participants"),
    path: "/sessions/{ref}/revoke",
    body: revokeBody,
    failures: [...WRITE, "not_found"],
  },
  requestUpload: {
    ...writes("Announce a file; then PUT its bytes and confirm", "Files"),
    path: "/sessions/{ref}/uploads",
    body: requestUploadBody,
    answers: { 201: { description: "Announced", schema: uploaded } },
    failures: MOVE,
  },
  putUpload: {
    method: "put",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Send a file's bytes, with their length; may be repeated until confirmed",
    tag: "Files",
    takesFile: true,
    answers: {
      200: {
        description: "Arrived",
        schema: z.object({ size: z.int(), sha256: z.string() }).meta({ id: "UploadArrived" }),
      },
    },
    failures: [
      ...TOKEN,
      "illegal_transition",
      "invalid_request",
      "not_found",
      "length_required",
      "too_large",
      "unsupported_media_type",
    ],
  },
  confirmUpload: {
    ...writes("Confirm a file; its field then shows it", "Files"),
    path: "/sessions/{ref}/uploads/{uploadId}/confirm",
    body: confirmUploadBody,
    bodyOptional: true,
    answers: { 200: { description: "Confirmed", schema: uploaded } },
    failures: [...MOVE, "not_found", "invalid_fields"],
  },
  getUpload: {
    method: "get",
    path: "/sessions/{ref}/uploads/{uploadId}",
    summary: "Download a confirmed file",
    tag: "Files",
    answers: { 200: { description: "The file", file: true } },
    failures: [...TOKEN, "not_found"],
  },
  removeUpload: {
    ...writes("Remove a file, also from its field", "Files"),
    method: "delete",
    path: "/sessions/{ref}/uploads/{uploadId}",
    failures: [...MOVE, "not_found"],
  },
  reportStop: {
    method: "post",
    path: "/sessions/{ref}/stops",
    summary: "Say why the work stopped, and be told what to do; spends no token",
    tag: "Automation",
    body: stopBody,
    headers: ["Idempotency-Key"],
    answers: {
      200: {
        description: "Recorded, with the decision",
        schema: z.object({ decision: decisionSchema, seq }).meta({ id: "StopAnswer" }),
      },
    },
    failures: [
      ...TOKEN,
      "illegal_transition",
      "idempotency_mismatch",
      "too_large",
      "unsupported_media_type",
    ],
  },
  takeCheckpoint: {
    ...writes("Keep a verified copy of the document", "Automation"),
    path: "/sessions/{ref}/checkpoints",
    body: checkpointBody,
    bodyOptional: true,
    answers: { 201: { description: "Kept", schema: checkpointed } },
    failures: [...WRITE, "checkpoint_corrupt"],
  },
  listCheckpoints: {
    method: "get",
    path: "/sessions/{ref}/checkpoints",
    summary: "The checkpoints that are kept",
    tag: "Automation",
    answers: {
      200: {
        description: "Oldest first",
        schema: z.object({ checkpoints: z.array(checkpointSchema) }).meta({ id: "Checkpoints" }),
      },
    },
    failures: TOKEN,
  },
  getCheckpoint: {
    method: "get",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    summary: "A checkpoint with what it holds",
    tag: "Automation",
    answers: {
      200: {
        description: "The checkpoint",
        schema: z
          .object({
            checkpoint: checkpointSchema.extend({ document: z.record(z.string(), anyJson) }),
          })
          .meta({ id: "CheckpointContent" }),
      },
    },
    failures: [...TOKEN, "not_found", "checkpoint_corrupt"],
  },
  pinCheckpoint: {
    ...writes("Pin a checkpoint, or let it go when its time comes", "Automation"),
    method: "patch",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    body: pinBody,
    answers: { 200: { description: "Done", schema: checkpointed } },
    failures: [...WRITE, "not_found"],
  },
  deleteCheckpoint: {
    ...writes("Delete a checkpoint", "Automation"),
    method: "delete",
    path: "/sessions/{ref}/checkpoints/{checkpointId}",
    failures: [...WRITE, "not_found", "invalid_request"],
  },
  restoreCheckpoint: {
    ...writes("Put a checkpoint's document back; what was there is kept first", "Automation"),
    path: "/sessions/{ref}/checkpoints/{checkpointId}/restore",
    body: emptyBody,
    bodyOptional: true,
    failures: [...MOVE, "not_found", "checkpoint_corrupt"],
  },
  trim: {
    ...writes("Trim client and job events below a checkpoint", "Automation"),
    path: "/sessions/{ref}/trim",
    body: trimBody,
    answers: {
      200: {
        description: "Trimmed",
        schema: z
          .object({
            session: sessionSchema,
            resumeToken,
            floor: seq.describe("Replay starts here or later"),
            trimmed: z.boolean().describe("False when there was nothing to trim"),
          })
          .meta({ id: "Trimmed" }),
      },
    },
    failures: [...WRITE, "not_found", "checkpoint_corrupt"],
  },
  fork: {
    ...writes("Begin a new session from this one, or from a checkpoint", "Automation"),
    path: "/sessions/{ref}/fork",
    body: forkBody,
    bodyOptional: true,
    answers: {
      201: {
        description: "Forked",
        schema: z
          .object({
            session: sessionSchema.describe("The parent"),
            resumeToken,
            child: sessionSchema.nullable().describe("Null where it is already gone again"),
            childToken: z.string().describe("The first token of the new session"),
            prompt: z.string().describe("How the work goes on, from the template"),
          })
          .meta({ id: "Forked" }),
      },
    },
    failures: [...MOVE, "not_found", "checkpoint_corrupt", "busy"],
  },
  lineage: {
    method: "get",
    path: "/sessions/{ref}/lineage",
    summary: "The line of forks, from the root through this session to its newest leaf",
    tag: "Automation",
    answers: {
      200: {
        description: "Root first",
        schema: z
          .object({
            lineage: z.array(
              z.object({
                sessionId: z.string(),
                title: z.string().nullable(),
                state: z.string().describe("A state, or `gone`"),
                createdAt: timestamp.nullable(),
                forkedAt: seq.nullable().describe("The parent's head when this one was forked"),
                reason: z.string().nullable(),
                children: z.array(z.string()),
                current: z.boolean().describe("The session that was asked"),
              }),
            ),
          })
          .meta({ id: "Lineage" }),
      },
    },
    failures: TOKEN,
  },
  submitJob: {
    method: "post",
    path: "/sessions/{ref}/jobs",
    summary: "Give an agent a job; spends no token",
    tag: "Jobs",
    body: jobs.submitJobBody,
    headers: ["Idempotency-Key"],
    answers: { 201: { description: "Accepted", schema: jobs.submitted } },
    failures: [
      ...TOKEN,
      "not_found",
      "illegal_transition",
      "idempotency_mismatch",
      "too_large",
      "unsupported_media_type",
    ],
  },
  listJobs: {
    method: "get",
    path: "/sessions/{ref}/jobs",
    summary: "The session's jobs",
    tag: "Jobs",
    query: jobs.jobsQuery,
    answers: { 200: { description: "Oldest first", schema: jobs.jobList } },
    failures: TOKEN,
  },
  getJob: {
    method: "get",
    path: "/sessions/{ref}/jobs/{jobId}",
    summary: "A job with its input, and its result once there is one",
    tag: "Jobs",
    answers: { 200: { description: "The job", schema: jobs.jobContent } },
    failures: [...TOKEN, "not_found"],
  },
  cancelJob: {
    method: "post",
    path: "/sessions/{ref}/jobs/{jobId}/cancel",
    summary: "Cancel a job, at once; for its maker and for owners. Spends no token",
    tag: "Jobs",
    body: jobs.cancelJobBody,
    bodyOptional: true,
    answers: { 200: { description: "As it is now", schema: jobs.submitted } },
    failures: [...TOKEN, "not_found", "illegal_transition", "too_large", "unsupported_media_type"],
  },
  claimJob: {
    method: "post",
    path: "/agents/{name}/claim",
    summary: "For executors: take the agent's next job, or wait for one",
    tag: "Executors",
    bearer: "agent",
    body: jobs.claimBody,
    bodyOptional: true,
    answers: {
      200: { description: "A job", schema: jobs.claimed },
      204: { description: "None came in time" },
    },
    failures: [
      "credential_missing",
      "token_invalid",
      "not_found",
      "too_large",
      "unsupported_media_type",
    ],
  },
  reportJobEvents: reporting("/jobs/events", "Report what happens in a job", jobs.jobEventsBody),
  reportJobHeartbeat: {
    ...reporting("/jobs/heartbeat", "Keep the lease of a job", jobs.heartbeatBody),
    bodyOptional: true,
  },
  reportJobResult: reporting("/jobs/result", "End a job with its result", jobs.resultBody),
  reportJobError: reporting("/jobs/error", "End a job with an error", jobs.errorBody),
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof ENDPOINTS;

export const endpointEntries = Object.entries(ENDPOINTS) as readonly [EndpointId, Endpoint][];
