/** Schemas of the session, its log and its parts on the wire. OpenAPI is generated from them. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { SCOPES } from "../domain/participants/scope";
import { STATES } from "../domain/session/state";
import { bodySchema, namedSchema } from "./named-schemas";

export const timestamp = z.iso.datetime().describe("ISO 8601, UTC");
export const seq = z.int().min(0).describe("A number in the session's log");
export const anyJson = z.unknown().describe("Any JSON value");

export const fieldErrors = z.array(
  z.object({ field: z.string(), problem: z.enum(["missing", "invalid"]), message: z.string() }),
);

export const actorSchema = namedSchema("Actor", {
  kind: z.enum(["agent", "human", "system", "owner"]).describe("Set by the server"),
  id: z.string().describe("Declared by the participant, not verified"),
  name: z.string().optional().describe("Declared by the participant, not verified"),
});

const stateSchema = z.enum(STATES).meta({ id: "State" });
const scopeSchema = z.enum(SCOPES).meta({ id: "Scope" });

const boundSchema = z
  .array(z.enum(["network", "principal"]))
  .describe("What its token is bound to; default: nothing");

/** What a handoff to an agent narrowed it to. */
const grantedTerms = {
  ask: z.array(z.string()).describe("The fields it may write, if it is narrowed").optional(),
  show: z.array(z.string()).describe("The fields it may see and not write").optional(),
  events: z
    .object({ append: z.array(z.string()).optional(), read: z.array(z.string()).optional() })
    .describe("The types of events it may append and read, if they are narrowed")
    .optional(),
};

const participantSchema = namedSchema("Participant", {
  id: z.string(),
  actor: actorSchema,
  scopes: z.array(scopeSchema),
  madeBy: z.string().nullable().describe("The participant that handed off to this one"),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revoked: z.boolean(),
  connected: z.boolean().describe("True if the participant has a live connection now"),
  bound: boundSchema.optional(),
  ...grantedTerms,
});

export const nextStepSchema = bodySchema("NextStep", {
  step: z
    .int()
    .min(1)
    .describe("Default: the step after the highest completed one, or 1")
    .optional(),
  description: z.string().max(LIMITS.textLength).optional(),
  stepsCompleted: z.array(z.int().min(1)).max(LIMITS.stepsCompleted).optional(),
  body: z.string().max(LIMITS.nextStepBodyLength).describe("Markdown").optional(),
});

const reviewSchema = namedSchema("Review", {
  required: z.boolean(),
  approvals: z.int().describe("How many different participants must approve"),
  identity: z
    .boolean()
    .describe("Reviewers must have an identity from the OpenID provider")
    .optional(),
  approvedBy: z.array(
    z.object({
      participant: z.string(),
      actor: actorSchema,
      at: timestamp,
      comment: z.string().optional(),
      identity: z
        .object({ issuer: z.string(), subject: z.string() })
        .describe("The identity, if an OpenID provider verified it")
        .optional(),
      version: seq.describe("The version that was approved").optional(),
    }),
  ),
  submitted: z
    .object({ actor: actorSchema, at: timestamp })
    .describe("Who submitted the session")
    .optional(),
  requestedChanges: z
    .object({
      actor: actorSchema,
      at: timestamp,
      comment: z.string().optional(),
      fields: z.record(z.string(), z.string()).describe("A comment per field"),
    })
    .optional(),
  rejectedBecause: z.string().optional(),
});

export const sessionSchema = namedSchema("Session", {
  id: z.string().describe("`ses_` and the object's id"),
  title: z.string().nullable(),
  state: stateSchema,
  paused: z
    .boolean()
    .describe("True if automatic resumes are stopped; people and agents can still act"),
  version: seq.describe("Seq of the last event that changed the document or the state"),
  head: seq.describe("Seq of the last event"),
  fields: z.record(z.string(), anyJson),
  fieldMeta: z.record(
    z.string(),
    z.object({
      actor: actorSchema,
      at: timestamp,
      confidence: z.number().min(0).max(1).optional(),
      erasedAt: timestamp.describe("For a private value: when it was erased").optional(),
    }),
  ),
  missingFields: z.array(z.string()).describe("Required by the schema and not yet set"),
  schema: z.record(z.string(), anyJson).nullable().describe("JSON Schema 2020-12 of the fields"),
  review: reviewSchema,
  nextStep: nextStepSchema.nullable(),
  parent: z
    .object({
      sessionId: z.string(),
      seq,
      chain: z.string().describe("The chain of the parent's log up to this seq").optional(),
      reason: z.string(),
      uploads: z
        .int()
        .describe(
          "The highest number of a file of the parent or of its ancestors, if they have files",
        )
        .optional(),
    })
    .nullable()
    .describe("The session this one was forked from"),
  createdAt: timestamp,
  updatedAt: timestamp.describe("When the version last changed"),
  expiresAt: timestamp,
  idleTtlMs: z
    .int()
    .optional()
    .describe("How long the session lives after its last use, if use extends it"),
  createdBy: actorSchema,
  updatedBy: actorSchema,
  participants: z.array(participantSchema),
  owner: z.string().describe("The owner, if it has one").optional(),
  externalId: z.string().describe("The owner's own id for it").optional(),
  template: z
    .object({ name: z.string(), version: z.int().min(1) })
    .describe("The template it was created from")
    .optional(),
  labels: z.record(z.string(), z.string()).describe("Left out if there are none").optional(),
  jurisdiction: z.string().describe("Where it is stored, if that was requested").optional(),
  locationHint: z.string().describe("The location hint that was requested").optional(),
});

/** A session as shown to callers that may know of it but not see its content. */
const outlineSchema = sessionSchema
  .pick({
    id: true,
    state: true,
    version: true,
    head: true,
    updatedAt: true,
    updatedBy: true,
    expiresAt: true,
  })
  .meta({ id: "SessionOutline" });

export const visibleSessionSchema = z
  .union([sessionSchema, outlineSchema])
  .describe("The session now; only its outline if the caller may no longer see its content");

export const eventSchema = namedSchema("Event", {
  seq: seq,
  type: z.string(),
  at: timestamp,
  actor: actorSchema,
  participant: z
    .string()
    .nullable()
    .describe(
      "The participant that wrote it, `par_…`; null for the server, for owners' keys and for executors",
    ),
  state: stateSchema.describe("The session's state after this event"),
  version: seq.describe("The session's version after this event"),
  payload: z.record(z.string(), anyJson),
  trace: z
    .object({ traceId: z.string(), parentId: z.string() })
    .describe("The `traceparent` of the request that wrote the event, if it had one")
    .optional(),
});

export const handoffSchema = namedSchema("Handoff", {
  id: z.string(),
  participant: z.string(),
  to: z.enum(["agent", "human"]),
  scopes: z.array(scopeSchema),
  note: z.string().nullable(),
  madeBy: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revoked: z.boolean(),
  bound: boundSchema.optional(),
  singleUse: z.boolean().describe("For a link: it can be opened only once").optional(),
  takeover: z
    .boolean()
    .describe("For a link: another device may take over after a save")
    .optional(),
  openedAt: timestamp.nullable().describe("For a link: when it was first opened").optional(),
  answeredAt: timestamp.nullable().describe("For a link: when the person last answered").optional(),
  declinedAt: timestamp.nullable().describe("For a link: when the person declined").optional(),
  showTitle: z
    .boolean()
    .describe("For a link: the page before it is opened shows the session's title")
    .optional(),
  ...grantedTerms,
  question: z.string().describe("For a link: the question").optional(),
  submitLabel: z.string().describe("For a link: the text on its button").optional(),
  url: z.string().describe("For a new link: the address to send to the person").optional(),
  code: z.string().describe("For a new link: its code, for typing it at /h").optional(),
  qrUrl: z.string().describe("For a new link: its QR code as SVG").optional(),
});

export const uploadSchema = namedSchema("Upload", {
  id: z.string(),
  field: z.string().nullable(),
  name: z.string(),
  type: z.string(),
  size: z.int(),
  sha256: z.string().nullable(),
  status: z.enum(["pending", "confirmed", "removed"]),
  requestedAt: timestamp,
});

export const checkpointSchema = namedSchema("Checkpoint", {
  id: z.string(),
  name: z.string(),
  seq: seq.describe("The log's head when it was made"),
  version: seq,
  createdAt: timestamp,
  automatic: z.boolean(),
  pinned: z.boolean(),
  bytes: z.int(),
  sha256: z.string(),
});
