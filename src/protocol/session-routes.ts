/** Routes of a session as a whole: create, read, resume, pause, extend, end, purge. */
import * as z from "zod";
import {
  okResponse,
  createdResponse,
  VERSIONED_WRITE_FAILURES,
  readRoute,
  resumeToken,
  tokenOrKeyWriteRoute,
  WRITE_FAILURES,
  WRITE_HEADERS,
  writeRoute,
  writeAnswerSchema,
  type ApiRoute,
} from "./api-route";
import { certificateSchema, provenWriteRoute } from "./evidence-routes";
import { createBody, resumeBody, resumableQuery, reasonBody, extendBody } from "./session-requests";
import {
  eventSchema,
  seq,
  sessionSchema,
  visibleSessionSchema,
  timestamp,
} from "./session-schemas";
import { namedSchema } from "./named-schemas";

const readAnswer = namedSchema("SessionAnswer", { session: sessionSchema });
const pauseAnswer = namedSchema("PauseAnswer", {
  session: visibleSessionSchema,
  resumeToken: resumeToken.optional(),
  already: z.boolean().describe("True if nothing changed"),
});
const resumeAnswer = namedSchema("Resumed", {
  outcome: z.literal("resumed"),
  session: visibleSessionSchema,
  resumeToken,
  events: z.array(eventSchema).describe("The events after lastEventSeq, including this resume"),
  head: seq,
  more: z.boolean().describe("If true, continue with GET …/events?after=<last seq received>"),
});
const freshAnswer = namedSchema("BegunFresh", {
  outcome: z.literal("fresh"),
  warning: z.object({
    code: z.enum(["token_invalid", "expired", "gone"]),
    requested: z.object({ sessionId: z.string().nullable(), lastEventSeq: seq.nullable() }),
    reason: z.string(),
  }),
  session: visibleSessionSchema,
  resumeToken,
  events: z.array(eventSchema),
  head: seq,
  more: z.boolean(),
});

export const sessionRoutes = {
  createSession: {
    method: "post",
    path: "/sessions",
    auth: "owner",
    summary: "Create a session",
    tag: "Sessions",
    body: createBody,
    headers: ["Idempotency-Key"],
    responses: createdResponse("Created. Location names it", writeAnswerSchema),
    failures: [
      "not_found",
      "gone",
      "invalid_fields",
      "idempotency_mismatch",
      "external_id_taken",
      "quota_exceeded",
      "scope_denied",
      "rate_limited",
      "not_configured",
    ],
  },
  getSession: {
    ...readRoute("Read the session", "Sessions"),
    path: "/sessions/{ref}",
    headers: ["If-None-Match"],
    responses: {
      200: { description: "The session", schema: readAnswer },
      304: { description: "Not changed since the given ETag" },
    },
  },
  purge: {
    method: "delete",
    path: "/sessions/{ref}",
    summary: "Delete the session permanently, at once",
    tag: "Sessions",
    headers: ["If-Match"],
    responses: okResponse(
      "Deleted. Repeating the request returns 410, which means success",
      namedSchema("PurgeAnswer", { certificate: certificateSchema }),
    ),
    failures: WRITE_FAILURES,
  },
  resume: {
    method: "post",
    path: "/sessions/{ref}/resume",
    takesWrongToken: true,
    summary: "Continue where the work stopped; earlier tokens of the participant are fenced off",
    tag: "Resume",
    body: resumeBody,
    headers: WRITE_HEADERS,
    responses: {
      200: { description: "Resumed", schema: resumeAnswer },
      201: {
        description: "A new session was created, because onInvalid allowed it",
        schema: freshAnswer,
      },
    },
    failures: [...WRITE_FAILURES, "paused", "replay_gap", "idempotency_mismatch"],
  },
  resumable: {
    ...readRoute("Check whether a resume would succeed; changes nothing", "Resume"),
    path: "/sessions/{ref}/resumable",
    query: resumableQuery,
    responses: okResponse(
      "What a resume would find",
      namedSchema("Resumable", {
        resumable: z.boolean(),
        reason: z.string().describe("The code a resume would fail with").optional(),
        version: seq,
        head: seq,
        behindBy: z.int().describe("Events after lastEventSeq, or after the stored cursor"),
        expiresAt: timestamp,
      }),
    ),
  },
  finalize: {
    ...provenWriteRoute("Finalize", "Sessions", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/finalize",
    body: reasonBody,
  },
  cancel: {
    ...tokenOrKeyWriteRoute("Cancel", "Sessions", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/cancel",
    body: reasonBody,
  },
  pause: {
    ...writeRoute("Pause a session", "Sessions"),
    path: "/sessions/{ref}/pause",
    body: reasonBody,
    responses: okResponse("Paused", pauseAnswer),
  },
  unpause: {
    ...writeRoute("Unpause a session", "Sessions"),
    path: "/sessions/{ref}/unpause",
    body: reasonBody,
    responses: okResponse("Not paused", pauseAnswer),
  },
  extend: {
    ...tokenOrKeyWriteRoute("Extend or shorten the session", "Sessions"),
    path: "/sessions/{ref}/extend",
    body: extendBody,
  },
} as const satisfies Record<string, ApiRoute>;
