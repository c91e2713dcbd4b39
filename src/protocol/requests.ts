/** Bodies and queries as clients send them. Unknown keys are refused: a typing mistake must not pass. */
import * as z from "zod";
import { EVENT_TYPE_PATTERN } from "../domain/event";
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { isPrefix } from "../domain/network";
import { STOP_REASONS, STRATEGIES, type StopReason } from "../domain/policy";
import { SCOPES } from "../domain/scope";
import { NETWORK_PATTERN } from "./network-pattern";
import { anyJson, nextStepSchema } from "./session";

const duration = z.int().min(1);
const text = z.string().max(LIMITS.textLength);
const title = z.string().max(LIMITS.titleLength).nullable();

const fieldName = z.string().min(1).max(LIMITS.fieldNameLength);
const fields = z
  .record(fieldName, anyJson)
  .describe("Field names and their values; null removes a field");

const figure = z.number().min(0).max(1);
const confidence = z
  .union([figure, z.record(fieldName, figure)])
  .describe("From 0 to 1: one figure for all given fields, or one per field");

/** The kind cannot be chosen: over this interface everyone is an agent. */
export const actorClaim = z
  .object({
    kind: z
      .literal("agent", { error: 'kind can only be "agent": people come by a link' })
      .optional(),
    id: z.string().min(1).max(LIMITS.actorIdLength),
    name: z.string().min(1).max(LIMITS.actorIdLength).optional(),
  })
  .strict()
  .meta({ id: "ActorClaim" });

const strategy = z.enum(STRATEGIES);
/** A wait beyond any session's life means nothing, and a far enough one is no date any more. */
const wait = duration.max(LIMITS.retryAfterMs);

export const policySchema = z
  .object({
    strategies: z
      .object(
        Object.fromEntries(STOP_REASONS.map((reason) => [reason, strategy.optional()])) as {
          [K in StopReason]: z.ZodOptional<typeof strategy>;
        },
      )
      .strict()
      .describe("What to do for which reason")
      .optional(),
    baseMs: wait.describe("First backoff; default 30 s").optional(),
    maxMs: wait.describe("Longest backoff; default 5 min").optional(),
    maxAttempts: z.int().min(1).max(100).describe("Default 5").optional(),
    jitter: z.number().min(0).max(1).describe("A share of the wait; default 0.1").optional(),
    breaker: z
      .object({
        failures: z.int().min(1).max(100).optional(),
        windowMs: wait.optional(),
      })
      .strict()
      .describe("So many failed resumes in that time suspend automation; default 3 in 5 min")
      .optional(),
    keepCheckpoints: z.int().min(1).max(LIMITS.checkpoints).describe("Default 10").optional(),
    strictCheckpoints: z
      .boolean()
      .describe("Refuse a fork or restore whose automatic checkpoint fails")
      .optional(),
  })
  .strict()
  .meta({ id: "Policy" });

const bind = z
  .object({
    network: z
      .union([
        z.literal(true),
        z
          .string()
          .refine(isPrefix, { error: "must be a network such as 203.0.113.0/24" })
          .meta({ pattern: NETWORK_PATTERN }),
      ])
      .describe("true: the network of this request; or a prefix such as 203.0.113.0/24")
      .optional(),
    principal: z
      .union([z.literal(true), z.string().min(1).max(LIMITS.principalLength)])
      .describe("true: who sends this request; or a name, as the proxy in front says it")
      .optional(),
  })
  .strict()
  .refine(({ network, principal }) => network !== undefined || principal !== undefined, {
    error: "give network, principal or both",
  })
  .describe("What the token needs beside itself")
  .meta({ id: "Bind" });

export const createBody = z
  .object({
    title: title.optional(),
    actor: actorClaim.optional(),
    schema: z
      .record(z.string(), anyJson)
      .nullable()
      .describe("JSON Schema 2020-12 whose properties are the fields")
      .optional(),
    fields: fields.optional(),
    confidence: confidence.optional(),
    ttlMs: duration.describe("Default 7 days, by default 1 s to 90 days").optional(),
    review: z
      .object({
        required: z.boolean().default(true),
        approvals: z.int().min(1).max(LIMITS.approvals).default(1),
      })
      .strict()
      .optional(),
    nextStep: nextStepSchema.nullable().optional(),
    policy: policySchema.nullable().optional(),
    bind: bind.optional(),
  })
  .strict()
  .meta({ id: "CreateSession" });

export const setFieldsBody = z
  .object({
    fields: fields.optional(),
    confidence: confidence.optional(),
    title: title.optional(),
    nextStep: nextStepSchema.nullable().optional(),
  })
  .strict()
  .refine(
    (body) =>
      Object.keys(body.fields ?? {}).length > 0 ||
      body.title !== undefined ||
      body.nextStep !== undefined,
    { error: "give at least one of fields, title and nextStep" },
  )
  .meta({ id: "SetFields" });

export const resumeBody = z
  .object({
    lastEventSeq: z
      .int()
      .min(0)
      .describe("The last event seen; absent: the kept cursor")
      .optional(),
    actor: actorClaim.optional(),
    auto: z.boolean().describe("True when a machine decided to resume").optional(),
    onInvalid: z
      .enum(["fail", "fresh"])
      .describe("fresh: an invalid, expired or gone token begins a new session, and says so")
      .optional(),
  })
  .strict()
  .meta({ id: "Resume" });

export const emptyBody = z.object({}).strict().meta({ id: "Empty" });
export const reasonBody = z.object({ reason: text.optional() }).strict().meta({ id: "Reason" });
export const commentBody = z.object({ comment: text.optional() }).strict().meta({ id: "Comment" });
export const requestInputBody = z
  .object({ note: text.optional(), fields: z.array(fieldName).max(LIMITS.fields).optional() })
  .strict()
  .meta({ id: "RequestInput" });
export const requestChangesBody = z
  .object({
    comment: text.optional(),
    fields: z.record(fieldName, text).describe("A comment per field").optional(),
  })
  .strict()
  .meta({ id: "RequestChanges" });
export const extendBody = z
  .object({ ttlMs: duration.describe("From now") })
  .strict()
  .meta({ id: "Extend" });
export const validateBody = z
  .object({ fields: fields.optional() })
  .strict()
  .meta({ id: "Validate" });

export const appendBody = z
  .object({
    events: z
      .array(
        z
          .object({
            type: z.string().meta({
              description: "A namespaced name such as agent.progress",
              maxLength: LIMITS.eventTypeLength,
              pattern: EVENT_TYPE_PATTERN.source,
            }),
            payload: z.record(z.string(), anyJson).default({}),
          })
          .strict(),
      )
      .min(1)
      .max(LIMITS.eventsPerAppend),
    expectedHead: z.int().min(0).describe("Append only if the log ends here").optional(),
  })
  .strict()
  .meta({ id: "Append" });

export const handoffBody = z
  .object({
    to: z.enum(["agent", "human"]).describe("An agent gets a token, a person a short link"),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    actor: actorClaim.optional(),
    note: text.optional(),
    ttlMs: duration.describe("For a link 24 h unless given, never past the session").optional(),
    singleUse: z.boolean().describe("The link opens once").optional(),
    takeover: z.boolean().describe("May be taken over even after a save").optional(),
    bind: bind.optional(),
  })
  .strict()
  .refine(
    ({ to, singleUse, takeover }) =>
      to === "human" || (singleUse === undefined && takeover === undefined),
    { error: "singleUse and takeover are for links to people" },
  )
  .meta({ id: "CreateHandoff" });

export const revokeBody = z
  .object({
    participant: z
      .string()
      .refine((id) => numberOf(id, "par_") !== null, { error: "must be a participant's id" })
      .meta({ pattern: "^par_[1-9][0-9]{0,8}$" })
      .describe("A participant's id; those it made are revoked with it")
      .optional(),
    others: z.literal(true).describe("Everyone but the caller").optional(),
  })
  .strict()
  .refine((body) => (body.participant === undefined) !== (body.others === undefined), {
    error: 'give either {"participant": "par_…"} or {"others": true}',
  })
  .meta({ id: "Revoke" });

const SECONDS_OR_DATE =
  "^([0-9]{1,6}|(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (0[1-9]|[12][0-9]|3[01]) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] GMT)$";

export const stopBody = z
  .object({
    reason: z.enum(STOP_REASONS),
    attempt: z.int().min(1).max(1_000_000).default(1).describe("The attempt that failed, from 1"),
    retryAfterMs: z.int().min(0).max(LIMITS.retryAfterMs).optional(),
    retryAfter: z
      .union([
        z.string().max(100).meta({ pattern: SECONDS_OR_DATE }),
        z
          .int()
          .min(0)
          .max(LIMITS.retryAfterMs / 1000),
      ])
      .transform(String)
      .describe("As in the header: seconds or an HTTP date")
      .optional(),
    usage: z.record(z.string(), anyJson).optional(),
    exitCode: z.int().optional(),
    evidence: text.describe("What was seen, in words").optional(),
    confidence: figure.optional(),
  })
  .strict()
  .meta({ id: "StopReport" });

const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "must be 64 hexadecimal digits" })
  .describe("Checked against what arrives");

export const requestUploadBody = z
  .object({
    field: fieldName.describe('A field whose schema says format: "file"').optional(),
    name: z
      .string()
      .min(1)
      .max(LIMITS.fileNameLength)
      .regex(/^[^\p{Cc}/\\]+$/u, { error: "must be a file's name, without a path" })
      // For readers that know no Unicode classes, or no raw characters above these.
      .meta({ pattern: "^[^\u0000-\u001f/\\\\]+$" }),
    type: z
      .string()
      .max(LIMITS.mediaTypeLength)
      .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/, { error: "must be a media type" }),
    size: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ description: "In bytes", maximum: LIMITS.uploadBytes }),
    sha256: sha256.optional(),
  })
  .strict()
  .meta({ id: "RequestUpload" });

export const confirmUploadBody = z
  .object({ size: z.int().min(0).optional(), sha256: sha256.optional() })
  .strict()
  .meta({ id: "ConfirmUpload" });

export const checkpointBody = z
  .object({
    name: z.string().min(1).max(LIMITS.checkpointNameLength).optional(),
    pinned: z.boolean().optional(),
  })
  .strict()
  .meta({ id: "TakeCheckpoint" });

export const pinBody = z.object({ pinned: z.boolean() }).strict().meta({ id: "PinCheckpoint" });

const checkpointRef = z
  .string()
  .refine((id) => numberOf(id, "chk_") !== null, { error: "must be a checkpoint's id" })
  .meta({ pattern: "^chk_[1-9][0-9]{0,8}$" });

export const forkBody = z
  .object({
    from: checkpointRef.describe("A checkpoint's id; absent: the document as it is").optional(),
    reason: text.default("fork"),
    finalizeParent: z.boolean().optional(),
    template: z
      .string()
      .max(LIMITS.templateLength)
      .describe("With {step}, {description} and {context}")
      .optional(),
  })
  .strict()
  .meta({ id: "Fork" });

export const trimBody = z
  .object({ checkpoint: checkpointRef.describe("The checkpoint that bridges what goes") })
  .strict()
  .meta({ id: "Trim" });

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a whole number" })
  .transform(Number)
  .pipe(z.int().min(0).max(999_999_999_999_999));
const types = z
  .string()
  .transform((list) => list.split(",").filter((type) => type !== ""))
  .pipe(z.array(z.string().max(LIMITS.eventTypeLength)).max(LIMITS.typeFilters))
  .describe("Comma list of types; `job.*` means the whole namespace");
const limit = wholeNumber
  .pipe(z.int().min(1).max(LIMITS.replayEvents))
  .describe(`At most ${LIMITS.replayEvents}`);
const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: "must be an ISO 8601 time" })
  .transform((value) => Date.parse(value));

export const eventsQuery = z.object({
  after: wholeNumber.describe("Absent: the participant's cursor").optional(),
  limit: limit.optional(),
  type: types.optional(),
  waitMs: wholeNumber
    .pipe(z.int().min(0).max(LIMITS.waitMs))
    .describe("Where there is nothing yet, wait so long for it")
    .optional(),
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
  after: time.describe("From this time on").optional(),
  before: time.describe("Before this time").optional(),
  cursor: wholeNumber.describe("nextCursor of the page before").optional(),
  limit: limit.optional(),
});

export const resumableQuery = z.object({
  lastEventSeq: wholeNumber.optional(),
  auto: z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .optional(),
});
