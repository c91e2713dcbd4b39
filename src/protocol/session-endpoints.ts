/** Routes of a session as a whole: beginning, reading, resuming, pausing, ending. */
import * as z from "zod";
import {
  type Endpoint,
  resumeToken,
  written,
  steered,
  reads,
  writes,
  steers,
  BODY,
  TOKEN,
  WRITE,
  MOVE,
  WRITE_HEADERS,
} from "./endpoint";
import { certificateSchema, proven } from "./evidence-endpoints";
import { createBody, resumeBody, resumableQuery, reasonBody, extendBody } from "./session-requests";
import { eventSchema, seq, sessionSchema, shownSchema, timestamp } from "./session";

const read = z.object({ session: sessionSchema }).meta({ id: "SessionAnswer" });
const pausing = steered
  .extend({ already: z.boolean().describe("True if nothing changed") })
  .meta({ id: "PauseAnswer" });
const resumed = z
  .object({
    outcome: z.literal("resumed"),
    session: shownSchema,
    resumeToken,
    events: z.array(eventSchema).describe("The events after lastEventSeq, including this resume"),
    head: seq,
    more: z.boolean().describe("If true, continue with GET …/events?after=<last seq received>"),
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
    session: shownSchema,
    resumeToken,
    events: z.array(eventSchema),
    head: seq,
    more: z.boolean(),
  })
  .meta({ id: "BegunFresh" });

export const sessionEndpoints = {
  createSession: {
    method: "post",
    path: "/sessions",
    who: "owner",
    summary: "Create a session",
    tag: "Sessions",
    body: createBody,
    bodyOptional: true,
    headers: ["Idempotency-Key"],
    answers: { 201: { description: "Created. Location names it", schema: written } },
    failures: [
      "credential_missing",
      "token_invalid",
      "not_found",
      "gone",
      "invalid_fields",
      "idempotency_mismatch",
      "external_id_taken",
      "quota_exceeded",
      "scope_denied",
      "rate_limited",
      "not_configured",
      ...BODY,
    ],
  },
  getSession: {
    method: "get",
    path: "/sessions/{ref}",
    summary: "Read the session",
    tag: "Sessions",
    headers: ["If-None-Match"],
    answers: {
      200: { description: "The session", schema: read },
      304: { description: "Not changed since the given ETag" },
    },
    failures: TOKEN,
  },
  purge: {
    method: "delete",
    path: "/sessions/{ref}",
    summary: "Delete the session permanently, at once",
    tag: "Sessions",
    headers: ["If-Match"],
    answers: {
      200: {
        description: "Deleted. Repeating the request returns 410, which means success",
        schema: z.object({ certificate: certificateSchema }).meta({ id: "PurgeAnswer" }),
      },
    },
    failures: WRITE,
  },
  resume: {
    method: "post",
    path: "/sessions/{ref}/resume",
    takesWrongToken: true,
    summary: "Continue where the work stopped; earlier tokens of the participant are fenced off",
    tag: "Resume",
    body: resumeBody,
    bodyOptional: true,
    headers: WRITE_HEADERS,
    answers: {
      200: { description: "Resumed", schema: resumed },
      201: {
        description: "A new session was created, because onInvalid allowed it",
        schema: begunFresh,
      },
    },
    failures: [...WRITE, "paused", "replay_gap", "idempotency_mismatch"],
  },
  resumable: {
    ...reads(
      "Check whether a resume would succeed; changes nothing",
      "Resume",
      "What a resume would find",
      z
        .object({
          resumable: z.boolean(),
          reason: z.string().describe("The code a resume would fail with").optional(),
          version: seq,
          head: seq,
          behindBy: z.int().describe("Events after lastEventSeq, or after the stored cursor"),
          expiresAt: timestamp,
        })
        .meta({ id: "Resumable" }),
    ),
    path: "/sessions/{ref}/resumable",
    query: resumableQuery,
  },
  finalize: {
    ...proven("Finalize", "Sessions"),
    path: "/sessions/{ref}/finalize",
    body: reasonBody,
    bodyOptional: true,
    failures: MOVE,
  },
  cancel: {
    ...steers("Cancel", "Sessions"),
    path: "/sessions/{ref}/cancel",
    body: reasonBody,
    bodyOptional: true,
    failures: MOVE,
  },
  pause: {
    ...writes("Pause a session", "Sessions"),
    path: "/sessions/{ref}/pause",
    body: reasonBody,
    bodyOptional: true,
    answers: { 200: { description: "Paused", schema: pausing } },
    failures: WRITE,
  },
  unpause: {
    ...writes("Unpause a session", "Sessions"),
    path: "/sessions/{ref}/unpause",
    body: reasonBody,
    bodyOptional: true,
    answers: { 200: { description: "Not paused", schema: pausing } },
    failures: WRITE,
  },
  extend: {
    ...steers("Move the expiry to so long from now", "Sessions"),
    path: "/sessions/{ref}/extend",
    body: extendBody,
    failures: WRITE,
  },
} as const satisfies Record<string, Endpoint>;
