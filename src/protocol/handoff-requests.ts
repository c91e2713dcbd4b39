/** Request bodies for handoffs and revocations. */
import * as z from "zod";
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { EVENT_TYPE_FILTER } from "../domain/log/event";
import { endpointHexOf } from "../domain/notices/endpoint";
import { SCOPES } from "../domain/participants/scope";
import { duration, text, actorClaim, bind, terms } from "./request-parts";
import { bodySchema } from "./named-schemas";

/** Members that only a link to a person can have. */
export const LINK_ONLY_MEMBERS = [
  "singleUse",
  "takeover",
  "question",
  "submitLabel",
  "showTitle",
] as const;

/** Members that only a handoff to an agent can have. */
export const AGENT_ONLY_MEMBERS = ["events"] as const;

const eventTypes = z
  .array(
    z.string().max(LIMITS.eventTypeLength).regex(EVENT_TYPE_FILTER, {
      error: "must be a type such as chat.request, or a namespace such as chat.*",
    }),
  )
  .max(LIMITS.typeFilters);

const events = z
  .strictObject({
    append: eventTypes.optional(),
    read: eventTypes.optional(),
  })
  .refine(({ append, read }) => append !== undefined || read !== undefined, {
    error: "needs append, read or both",
  })
  .meta({ id: "EventTypes" });

export const handoffBody = z
  .strictObject({
    to: z.enum(["agent", "human"]).describe("An agent gets a token, a person a short link"),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    actor: actorClaim.optional(),
    note: text.optional(),
    ttlMs: duration.describe("Default for a link: 24 h; never longer than the session").optional(),
    singleUse: z.boolean().describe("The link can be opened only once").optional(),
    takeover: z.boolean().describe("Another device may take over even after a save").optional(),
    ...terms,
    ask: terms.ask.describe(
      "Fields that it may write: these and no others. For a person, the fields it is asked for; without a schema and without `ask`, the answer is in the field `answer`",
    ),
    show: terms.show.describe(
      "Fields that it sees and cannot change. With `ask` or `show` it sees no other field",
    ),
    events: events
      .describe(
        "For an agent: the types of events that it may append and read, and no others; `chat.*` is a namespace. With `read`, and without `ask` and `show`, it sees no field",
      )
      .optional(),
    showTitle: z
      .boolean()
      .describe("The page may show the session's title before the link is opened")
      .optional(),
    bind: bind.optional(),
    remindAfterMs: duration
      .describe("The time after which a reminder is sent if there is no answer yet")
      .optional(),
    notify: z
      .array(
        z
          .string()
          .refine((id) => endpointHexOf(id) !== null, { error: "must be an endpoint's id" })
          .meta({ pattern: "^end_[A-Za-z0-9_-]{43}$" }),
      )
      .min(1)
      .max(LIMITS.notify)
      .describe("Endpoints to notify; they receive the link for a person")
      .optional(),
  })
  .refine(
    (body) => body.to === "human" || LINK_ONLY_MEMBERS.every((name) => body[name] === undefined),
    { error: "singleUse, takeover, question, submitLabel and showTitle are for links to people" },
  )
  .refine((body) => body.to === "agent" || body.events === undefined, {
    error: "events is for handoffs to agents",
    path: ["events"],
  })
  .meta({ id: "CreateHandoff" });

export const reissueBody = bodySchema("Reissue", {
  ttlMs: duration.describe("Default 24 h; never longer than the session").optional(),
});

export const revokeBody = z
  .strictObject({
    participant: z
      .string()
      .refine((id) => numberOf(id, "par_") !== null, { error: "must be a participant's id" })
      .meta({ pattern: "^par_[1-9][0-9]{0,8}$" })
      .describe("A participant's id; everyone it brought in is revoked too")
      .optional(),
    others: z.literal(true).describe("Revokes all participants except the caller").optional(),
  })
  .refine((body) => (body.participant === undefined) !== (body.others === undefined), {
    error: 'give either {"participant": "par_…"} or {"others": true}',
  })
  .meta({ id: "Revoke" });
