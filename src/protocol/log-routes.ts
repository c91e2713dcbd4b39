/** Routes of the log. */
import * as z from "zod";
import {
  createdResponse,
  VERSIONED_WRITE_FAILURES,
  readRoute,
  WRITE_HEADERS,
  type ApiRoute,
} from "./api-route";
import { matchesAppendFastPath } from "./body-fast-path";
import { appendBody, eventsQuery, auditQuery } from "./log-requests";
import { eventSchema, seq } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const eventsPage = namedSchema("EventsPage", {
  events: z.array(eventSchema),
  head: seq,
  nextAfter: seq.describe("Where the next page starts"),
  more: z.boolean(),
});
const auditPage = namedSchema("AuditPage", {
  events: z.array(eventSchema),
  head: seq,
  nextCursor: seq,
  more: z.boolean(),
});

export const logRoutes = {
  readEvents: {
    ...readRoute("Read the log, and follow it live", "Log"),
    path: "/sessions/{ref}/events",
    query: eventsQuery,
    headers: ["Last-Event-ID"],
    responses: {
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
    matchesFastPath: matchesAppendFastPath,
    headers: WRITE_HEADERS,
    responses: createdResponse(
      "Appended",
      namedSchema("Appended", { first: seq, last: seq, head: seq }),
    ),
    failures: [...VERSIONED_WRITE_FAILURES, "idempotency_mismatch"],
  },
  audit: {
    ...readRoute("The log, filtered", "Log"),
    path: "/sessions/{ref}/audit",
    query: auditQuery,
    responses: {
      200: {
        description: "A page, or the whole log as lines",
        schema: auditPage,
        lines: eventSchema,
      },
    },
  },
} as const satisfies Record<string, ApiRoute>;
