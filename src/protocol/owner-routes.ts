/** Routes of owners. They need a key, and show only the sessions of its owner. */
import * as z from "zod";
import { WAIT_REASONS } from "../domain/owners/waiting";
import { STATES } from "../domain/session/state";
import {
  ownerKeyRoute,
  okResponse,
  createdResponse,
  resumeToken,
  writeAnswerSchema,
  type ApiRoute,
} from "./api-route";
import { changesQuery, openBody, openNamedBody, sessionsQuery } from "./owner-requests";
import { seq, visibleSessionSchema, timestamp } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const listedSession = namedSchema("ListedSession", {
  id: z.string(),
  title: z.string().nullable(),
  state: z.enum(STATES),
  waiting: z
    .object({ for: z.enum(WAIT_REASONS), since: timestamp })
    .nullable()
    .describe("What the session waits for; null if it has ended"),
  labels: z.record(z.string(), z.string()),
  externalId: z.string().optional(),
  key: z.string().describe("The name of the key that created it").optional(),
  createdAt: timestamp,
  changedAt: timestamp.describe("When this entry last changed"),
  expiresAt: timestamp,
  seq: seq.describe("The seq of the commit that last changed this entry"),
});

const changeNumber = z.int().min(0).describe("A number in the order of the owner's changes");
const sessionChange = z
  .union([
    z.object({ number: changeNumber, session: listedSession }),
    z.object({
      number: changeNumber,
      removed: z.literal(true),
      session: z.object({ id: z.string() }),
    }),
  ])
  .meta({ id: "SessionChange" });

const openAnswer = namedSchema("OpenedSession", {
  outcome: z.enum(["opened", "created", "fresh"]),
  warning: z
    .object({ code: z.literal("expired"), requested: z.string(), reason: z.string() })
    .describe("For `fresh`: the session that had ended")
    .optional(),
  session: visibleSessionSchema,
  resumeToken,
});

const counters = z.record(z.string(), z.int().min(0));

export const ownerRoutes = {
  listSessions: {
    ...ownerKeyRoute("get", "read"),
    path: "/sessions",
    summary: "The owner's sessions, newest first",
    query: sessionsQuery,
    responses: okResponse(
      "A page; counts are over all sessions of the owner, whatever the filters",
      namedSchema("SessionList", {
        sessions: z.array(listedSession),
        nextCursor: z
          .string()
          .nullable()
          .describe("Null on the last page; any other page may have fewer entries than `limit`"),
        counts: z.object({ total: z.int().min(0), states: counters, waiting: counters }),
      }),
    ),
    failures: ["not_configured"],
  },
  openNamedSession: {
    ...ownerKeyRoute("post", "open"),
    path: "/sessions/open",
    summary: "Open the session with this externalId, or create it; recovers a lost token",
    body: openNamedBody,
    responses: {
      200: { description: "Opened for a new participant", schema: openAnswer },
      201: { description: "A new session was created", schema: openAnswer },
    },
    failures: [
      "not_configured",
      "not_found",
      "expired",
      "gone",
      "invalid_fields",
      "quota_exceeded",
    ],
  },
  openSession: {
    ...ownerKeyRoute("post", "open"),
    path: "/sessions/{ref}/open",
    summary: "Open a session of the owner by its id, for a new participant",
    body: openBody,
    responses: createdResponse("Opened", writeAnswerSchema),
    failures: ["not_configured", "illegal_transition", "expired", "gone"],
  },
  followSessions: {
    ...ownerKeyRoute("get", "read"),
    path: "/sessions/changes",
    summary: "Changes of the owner's sessions, in order, and then live",
    query: changesQuery,
    headers: ["Last-Event-ID"],
    responses: {
      200: {
        description: "Changes after the given number",
        schema: namedSchema("SessionChanges", {
          changes: z.array(sessionChange),
          nextAfter: changeNumber,
          head: changeNumber,
          more: z.boolean(),
        }),
        lines: sessionChange,
        stream: true,
      },
    },
    failures: ["not_configured", "replay_gap"],
  },
} as const satisfies Record<string, ApiRoute>;
