/** Bodies and queries for the sessions of an owner. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { WAIT_REASONS } from "../domain/owners/waiting";
import { STATES } from "../domain/session/state";
import { SCOPES } from "../domain/participants/scope";
import * as parts from "./request-parts";
import { createBody } from "./session-requests";
import { bodySchema } from "./named-schemas";

const states = parts.commaList(z.enum(STATES), STATES.length).describe("Comma-separated states");

const label = z
  .string()
  .max(LIMITS.labelNameLength + 1 + LIMITS.labelValueLength)
  .regex(/^[^:]+:/, { error: "must be name:value" })
  .transform((text) => ({
    name: text.slice(0, text.indexOf(":")),
    value: text.slice(text.indexOf(":") + 1),
  }))
  .describe("`name:value`");

export const sessionsQuery = z.strictObject({
  state: states.optional(),
  waiting: z.enum(WAIT_REASONS).describe("What the session waits for").optional(),
  waitingLongerThanMs: parts.wholeNumber.optional(),
  label: label.optional(),
  externalId: parts.externalId.optional(),
  q: parts.text.describe("Words in title, label values and externalId; all must match").optional(),
  createdAfter: parts.time.optional(),
  createdBefore: parts.time.optional(),
  changedAfter: parts.time.optional(),
  changedBefore: parts.time.optional(),
  limit: parts
    .pageLimit(LIMITS.sessionsPage)
    .describe(`Default ${LIMITS.sessionsPageDefault}, at most ${LIMITS.sessionsPage}`)
    .optional(),
  cursor: z
    .string()
    .regex(/^\d{1,16}$/, { error: "must be the nextCursor of a page" })
    .transform(Number)
    .describe("nextCursor of the previous page")
    .optional(),
});

export type SessionsQuery = z.output<typeof sessionsQuery>;

/** Options of the participant that is created when a key opens a session. */
const openOptions = {
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(SCOPES.length)
    .describe("Default: all except review, which a key cannot grant")
    .optional(),
  actor: parts.actorClaim.optional(),
  ttlMs: parts.duration.describe("Default 24 hours; never longer than the key").optional(),
};

export const openBody = bodySchema("OpenSession", openOptions);

export const openNamedBody = bodySchema("OpenNamedSession", {
  externalId: parts.externalId,
  create: z
    .union([z.literal(true), createBody.omit({ externalId: true })])
    .describe("Create the session if it does not exist; true: without further settings")
    .optional(),
  onEnded: z
    .enum(["fail", "fresh"])
    .describe("fresh: create a new session if the existing one has ended")
    .optional(),
  ...openOptions,
});

export const changesQuery = z.object({
  after: parts.wholeNumber
    .describe("Number of the last change seen; default: from the first")
    .optional(),
  limit: parts.wholeNumber.pipe(z.int().min(1).max(LIMITS.changesPage)).optional(),
  waitMs: parts.waitMs.optional(),
});
