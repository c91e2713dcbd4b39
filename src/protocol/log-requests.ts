/** Bodies and queries for appending to the log and for reading it. */
import * as z from "zod";
import { EVENT_TYPE_PATTERN } from "../domain/log/event";
import { EVENT_MEMBERS } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import { commaList, nextCursor, pageLimit, time, waitMs, wholeNumber } from "./request-parts";
import { anyJson } from "./session-schemas";
import { bodySchema } from "./named-schemas";

export const appendBody = bodySchema("Append", {
  events: z
    .array(
      z.strictObject({
        type: z.string().meta({
          description: "A namespaced name such as agent.progress",
          maxLength: LIMITS.eventTypeLength,
          pattern: EVENT_TYPE_PATTERN.source,
        }),
        payload: z.record(z.string(), anyJson).default({}),
      }),
    )
    .min(1)
    .max(LIMITS.eventsPerAppend),
  expectedHead: z.int().min(0).describe("Append only if the log ends here").optional(),
});

const types = commaList(z.string().max(LIMITS.eventTypeLength), LIMITS.typeFilters).describe(
  "Comma-separated types; `job.*` means the whole namespace",
);

const limit = pageLimit(LIMITS.replayEvents);

export const eventsQuery = z.object({
  after: wholeNumber.describe("Default: the participant's cursor").optional(),
  limit: limit.optional(),
  type: types.optional(),
  members: z
    .string()
    .transform((list) => list.split(","))
    .pipe(
      z
        .array(z.enum(EVENT_MEMBERS, { error: `must be one of ${EVENT_MEMBERS.join(", ")}` }))
        .max(EVENT_MEMBERS.length),
    )
    .describe(
      "Comma-separated members of an event; events then have only these and `seq`, not all that the response's schema requires",
    )
    .optional(),
  waitMs: waitMs.optional(),
});

const ACTOR_KINDS = ["agent", "human", "system"] as const;

function actorFilter(text: string): { actorKind?: string; actorId?: string } {
  const kind = ACTOR_KINDS.find((one) => text === one || text.startsWith(`${one}:`));
  if (kind === undefined) return { actorId: text };
  return text === kind
    ? { actorKind: kind }
    : { actorKind: kind, actorId: text.slice(kind.length + 1) };
}

export const auditQuery = z.object({
  type: types.optional(),
  actor: z
    .string()
    .max(LIMITS.actorIdLength + 10)
    .transform(actorFilter)
    .describe("A kind, an id, or both as `kind:id`")
    .optional(),
  actorKind: z.enum(ACTOR_KINDS).optional(),
  actorId: z.string().max(LIMITS.actorIdLength).optional(),
  outcome: z.enum(["success", "failure", "skipped", "pending"]).optional(),
  after: time.describe("Only entries from this time on").optional(),
  before: time.describe("Only entries before this time").optional(),
  cursor: nextCursor.optional(),
  limit: limit.optional(),
});
