/** Routes of the log. */
import * as z from "zod";
import { type Endpoint, TOKEN, MOVE, WRITE_HEADERS } from "./endpoint";
import { isPlainAppend } from "./plain-bodies";
import { appendBody, eventsQuery, auditQuery } from "./log-requests";
import { eventSchema, seq } from "./session";

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

export const logEndpoints = {
  readEvents: {
    method: "get",
    path: "/sessions/{ref}/events",
    summary: "Read the log, and follow it live",
    tag: "Log",
    query: eventsQuery,
    headers: ["Last-Event-ID"],
    answers: {
      204: { description: "The stream has ended and there is nothing more: do not reconnect" },
      200: {
        description: "A page, or the rest of the log as lines",
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
      200: {
        description: "A page, or the whole log as lines",
        schema: auditPage,
        lines: eventSchema,
      },
    },
    failures: TOKEN,
  },
} as const satisfies Record<string, Endpoint>;
