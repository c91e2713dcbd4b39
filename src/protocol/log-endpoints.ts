/** Routes of the log. */
import * as z from "zod";
import { made, MOVE, reads, WRITE_HEADERS, type Endpoint } from "./endpoint";
import { isPlainAppend } from "./plain-bodies";
import { appendBody, eventsQuery, auditQuery } from "./log-requests";
import { eventSchema, seq } from "./session";
import { named } from "./shapes";

const eventsPage = named("EventsPage", {
  events: z.array(eventSchema),
  head: seq,
  nextAfter: seq.describe("Where the next page starts"),
  more: z.boolean(),
});
const auditPage = named("AuditPage", {
  events: z.array(eventSchema),
  head: seq,
  nextCursor: seq,
  more: z.boolean(),
});

export const logEndpoints = {
  readEvents: {
    ...reads("Read the log, and follow it live", "Log"),
    path: "/sessions/{ref}/events",
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
    failures: ["replay_gap"],
  },
  appendEvents: {
    method: "post",
    path: "/sessions/{ref}/events",
    summary: "Append events; spends no token",
    tag: "Log",
    body: appendBody,
    isPlain: isPlainAppend,
    headers: WRITE_HEADERS,
    answers: made("Appended", named("Appended", { first: seq, last: seq, head: seq })),
    failures: [...MOVE, "idempotency_mismatch"],
  },
  audit: {
    ...reads("The log, filtered", "Log"),
    path: "/sessions/{ref}/audit",
    query: auditQuery,
    answers: {
      200: {
        description: "A page, or the whole log as lines",
        schema: auditPage,
        lines: eventSchema,
      },
    },
  },
} as const satisfies Record<string, Endpoint>;
