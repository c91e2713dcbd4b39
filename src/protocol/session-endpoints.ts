/** Routes of a session as a whole: beginning, reading, resuming, pausing, ending. */
import * as z from "zod";
import {
  done,
  made,
  MOVE,
  reads,
  resumeToken,
  writesByKeyToo,
  WRITE,
  WRITE_HEADERS,
  writes,
  written,
  type Endpoint,
} from "./endpoint";
import { certificateSchema, proven } from "./evidence-endpoints";
import { createBody, resumeBody, resumableQuery, reasonBody, extendBody } from "./session-requests";
import { eventSchema, seq, sessionSchema, shownSchema, timestamp } from "./session";
import { named } from "./shapes";

const read = named("SessionAnswer", { session: sessionSchema });
const pausing = named("PauseAnswer", {
  session: shownSchema,
  resumeToken: resumeToken.optional(),
  already: z.boolean().describe("True if nothing changed"),
});
const resumed = named("Resumed", {
  outcome: z.literal("resumed"),
  session: shownSchema,
  resumeToken,
  events: z.array(eventSchema).describe("The events after lastEventSeq, including this resume"),
  head: seq,
  more: z.boolean().describe("If true, continue with GET …/events?after=<last seq received>"),
});
const begunFresh = named("BegunFresh", {
  outcome: z.literal("fresh"),
  warning: z.object({
    code: z.enum(["token_invalid", "expired", "gone"]),
    requested: z.object({ sessionId: z.string().nullable(), lastEventSeq: seq.nullable() }),
    reason: z.string(),
  }),
  session: shownSchema,
  resumeToken,
  events: z.array(eventSchema),
  head: seq,
  more: z.boolean(),
});

export const sessionEndpoints = {
  createSession: {
    method: "post",
    path: "/sessions",
    who: "owner",
    summary: "Create a session",
    tag: "Sessions",
    body: createBody,
    headers: ["Idempotency-Key"],
    answers: made("Created. Location names it", written),
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
    ...reads("Read the session", "Sessions"),
    path: "/sessions/{ref}",
    headers: ["If-None-Match"],
    answers: {
      200: { description: "The session", schema: read },
      304: { description: "Not changed since the given ETag" },
    },
  },
  purge: {
    method: "delete",
    path: "/sessions/{ref}",
    summary: "Delete the session permanently, at once",
    tag: "Sessions",
    headers: ["If-Match"],
    answers: done(
      "Deleted. Repeating the request returns 410, which means success",
      named("PurgeAnswer", { certificate: certificateSchema }),
    ),
    failures: WRITE,
  },
  resume: {
    method: "post",
    path: "/sessions/{ref}/resume",
    takesWrongToken: true,
    summary: "Continue where the work stopped; earlier tokens of the participant are fenced off",
    tag: "Resume",
    body: resumeBody,
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
    ...reads("Check whether a resume would succeed; changes nothing", "Resume"),
    path: "/sessions/{ref}/resumable",
    query: resumableQuery,
    answers: done(
      "What a resume would find",
      named("Resumable", {
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
    ...proven("Finalize", "Sessions", MOVE),
    path: "/sessions/{ref}/finalize",
    body: reasonBody,
  },
  cancel: {
    ...writesByKeyToo("Cancel", "Sessions", MOVE),
    path: "/sessions/{ref}/cancel",
    body: reasonBody,
  },
  pause: {
    ...writes("Pause a session", "Sessions"),
    path: "/sessions/{ref}/pause",
    body: reasonBody,
    answers: done("Paused", pausing),
  },
  unpause: {
    ...writes("Unpause a session", "Sessions"),
    path: "/sessions/{ref}/unpause",
    body: reasonBody,
    answers: done("Not paused", pausing),
  },
  extend: {
    ...writesByKeyToo("Extend or shorten the session", "Sessions"),
    path: "/sessions/{ref}/extend",
    body: extendBody,
  },
} as const satisfies Record<string, Endpoint>;
