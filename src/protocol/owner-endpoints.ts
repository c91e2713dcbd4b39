/** Routes of owners: a key is the bearer, and what is seen is that owner's alone. */
import * as z from "zod";
import { WAITS } from "../domain/owners/waiting";
import { STATES } from "../domain/session/state";
import { reads, resumeToken, written, type Endpoint, BODY } from "./endpoint";
import { changesQuery, openBody, openNamedBody, sessionsQuery } from "./owner-requests";
import { seq, shownSchema, timestamp } from "./session";

/** How every request with an owner's key can fail. */
export const KEY = [
  "credential_missing",
  "token_invalid",
  "scope_denied",
  "rate_limited",
  "not_configured",
] as const;

/** What their routes share. */
export const byKey = { tag: "Owners", who: "key", origins: "own" } as const;

/** A read with a key. */
export const readsByKey = <S extends z.ZodType>(summary: string, description: string, schema: S) =>
  ({ ...reads(summary, byKey.tag, description, schema), ...byKey, failures: KEY }) as const;

const listed = z
  .object({
    id: z.string(),
    title: z.string().nullable(),
    state: z.enum(STATES),
    waiting: z
      .object({ for: z.enum(WAITS), since: timestamp })
      .nullable()
      .describe("Null once it has ended"),
    labels: z.record(z.string(), z.string()),
    externalId: z.string().optional(),
    createdAt: timestamp,
    changedAt: timestamp.describe("When this entry last changed"),
    expiresAt: timestamp,
    seq: seq.describe("Of the commit that last changed this row"),
  })
  .meta({ id: "ListedSession" });

const number = z.int().min(0).describe("A number in the order of the owner's changes");
const change = z
  .union([
    z.object({ number, session: listed }),
    z.object({ number, removed: z.literal(true), session: z.object({ id: z.string() }) }),
  ])
  .meta({ id: "SessionChange" });

const opened = z
  .object({
    outcome: z.enum(["opened", "created", "fresh"]),
    warning: z
      .object({ code: z.literal("expired"), requested: z.string(), reason: z.string() })
      .describe("With `fresh`: which session had ended")
      .optional(),
    session: shownSchema,
    resumeToken,
  })
  .meta({ id: "OpenedSession" });

const tally = z.record(z.string(), z.int().min(0));

export const ownerEndpoints = {
  listSessions: {
    ...readsByKey(
      "The owner's sessions, newest first",
      "A page; counts are over all sessions of the owner, whatever the filters",
      z
        .object({
          sessions: z.array(listed),
          nextCursor: z
            .string()
            .nullable()
            .describe("Null on the last page; any other page can be short"),
          counts: z.object({ total: z.int().min(0), states: tally, waiting: tally }),
        })
        .meta({ id: "SessionList" }),
    ),
    path: "/sessions",
    right: "read",
    query: sessionsQuery,
  },
  openNamedSession: {
    ...byKey,
    method: "post",
    path: "/sessions/open",
    summary: "Open the session with this externalId, or create it; recovers a lost token",
    right: "open",
    body: openNamedBody,
    answers: {
      200: { description: "Opened for a new participant", schema: opened },
      201: { description: "A new session was created", schema: opened },
    },
    failures: [...KEY, "not_found", "expired", "gone", "invalid_fields", "quota_exceeded", ...BODY],
  },
  openSession: {
    ...byKey,
    method: "post",
    path: "/sessions/{ref}/open",
    summary: "Open a session of the owner by its id, for a new participant",
    right: "open",
    body: openBody,
    bodyOptional: true,
    answers: { 201: { description: "Opened", schema: written } },
    failures: [...KEY, "illegal_transition", "expired", "gone", ...BODY],
  },
  followSessions: {
    ...byKey,
    method: "get",
    path: "/sessions/changes",
    summary: "Changes of the owner's sessions, in order, and then live",
    right: "read",
    query: changesQuery,
    headers: ["Last-Event-ID"],
    answers: {
      200: {
        description: "Changes after the given number",
        schema: z
          .object({ changes: z.array(change), nextAfter: number, head: number, more: z.boolean() })
          .meta({ id: "SessionChanges" }),
        lines: change,
        stream: true,
      },
    },
    failures: [...KEY, "replay_gap"],
  },
} as const satisfies Record<string, Endpoint>;
