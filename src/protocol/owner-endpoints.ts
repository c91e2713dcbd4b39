/** Routes of owners: a key is the bearer, and what is seen is that owner's alone. */
import * as z from "zod";
import { WAITS } from "../domain/owners/waiting";
import { STATES } from "../domain/session/state";
import { sameOriginByKey, done, made, resumeToken, written, type Endpoint } from "./endpoint";
import { changesQuery, openBody, openNamedBody, sessionsQuery } from "./owner-requests";
import { seq, shownSchema, timestamp } from "./session";
import { named } from "./shapes";

const listed = named("ListedSession", {
  id: z.string(),
  title: z.string().nullable(),
  state: z.enum(STATES),
  waiting: z
    .object({ for: z.enum(WAITS), since: timestamp })
    .nullable()
    .describe("Null once it has ended"),
  labels: z.record(z.string(), z.string()),
  externalId: z.string().optional(),
  key: z.string().describe("The name of the key that created it").optional(),
  createdAt: timestamp,
  changedAt: timestamp.describe("When this entry last changed"),
  expiresAt: timestamp,
  seq: seq.describe("Of the commit that last changed this row"),
});

const number = z.int().min(0).describe("A number in the order of the owner's changes");
const change = z
  .union([
    z.object({ number, session: listed }),
    z.object({ number, removed: z.literal(true), session: z.object({ id: z.string() }) }),
  ])
  .meta({ id: "SessionChange" });

const opened = named("OpenedSession", {
  outcome: z.enum(["opened", "created", "fresh"]),
  warning: z
    .object({ code: z.literal("expired"), requested: z.string(), reason: z.string() })
    .describe("With `fresh`: which session had ended")
    .optional(),
  session: shownSchema,
  resumeToken,
});

const tally = z.record(z.string(), z.int().min(0));

export const ownerEndpoints = {
  listSessions: {
    ...sameOriginByKey("get", "read"),
    path: "/sessions",
    summary: "The owner's sessions, newest first",
    query: sessionsQuery,
    answers: done(
      "A page; counts are over all sessions of the owner, whatever the filters",
      named("SessionList", {
        sessions: z.array(listed),
        nextCursor: z
          .string()
          .nullable()
          .describe("Null on the last page; any other page can be short"),
        counts: z.object({ total: z.int().min(0), states: tally, waiting: tally }),
      }),
    ),
    failures: ["not_configured"],
  },
  openNamedSession: {
    ...sameOriginByKey("post", "open"),
    path: "/sessions/open",
    summary: "Open the session with this externalId, or create it; recovers a lost token",
    body: openNamedBody,
    answers: {
      200: { description: "Opened for a new participant", schema: opened },
      201: { description: "A new session was created", schema: opened },
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
    ...sameOriginByKey("post", "open"),
    path: "/sessions/{ref}/open",
    summary: "Open a session of the owner by its id, for a new participant",
    body: openBody,
    answers: made("Opened", written),
    failures: ["not_configured", "illegal_transition", "expired", "gone"],
  },
  followSessions: {
    ...sameOriginByKey("get", "read"),
    path: "/sessions/changes",
    summary: "Changes of the owner's sessions, in order, and then live",
    query: changesQuery,
    headers: ["Last-Event-ID"],
    answers: {
      200: {
        description: "Changes after the given number",
        schema: named("SessionChanges", {
          changes: z.array(change),
          nextAfter: number,
          head: number,
          more: z.boolean(),
        }),
        lines: change,
        stream: true,
      },
    },
    failures: ["not_configured", "replay_gap"],
  },
} as const satisfies Record<string, Endpoint>;
