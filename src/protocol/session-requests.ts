/** Request bodies for a session as a whole. Unknown members are refused, so that a typo is noticed. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { JURISDICTIONS, LOCATION_HINTS } from "../domain/session/location";
import { STOP_REASONS, STRATEGIES, type StopReason } from "../domain/stops/policy";
import * as parts from "./request-parts";
import { anyJson, nextStepSchema } from "./session-schemas";
import { bodySchema } from "./named-schemas";

const strategy = z.enum(STRATEGIES);

/** A duration longer than any session's lifetime is meaningless, and a very long one makes an invalid date. */
const boundedDuration = parts.duration.max(LIMITS.retryAfterMs);

const policySchema = bodySchema("Policy", {
  strategies: z
    .strictObject(
      Object.fromEntries(STOP_REASONS.map((reason) => [reason, strategy.optional()])) as {
        [K in StopReason]: z.ZodOptional<typeof strategy>;
      },
    )
    .describe("The strategy for each reason")
    .optional(),
  baseMs: boundedDuration.describe("The first backoff; default 30 s").optional(),
  maxMs: boundedDuration.describe("The longest backoff; default 5 min").optional(),
  maxAttempts: z.int().min(1).max(100).describe("Default 5").optional(),
  jitter: z.number().min(0).max(1).describe("A share of the wait; default 0.1").optional(),
  breaker: z
    .strictObject({
      failures: z.int().min(1).max(100).optional(),
      windowMs: boundedDuration.optional(),
    })
    .describe(
      "This many failed resumes within windowMs suspend automatic resumes; default 3 in 5 min",
    )
    .optional(),
  keepCheckpoints: z.int().min(1).max(LIMITS.checkpoints).describe("Default 10").optional(),
  strictCheckpoints: z
    .boolean()
    .describe("Refuse a fork or restore whose automatic checkpoint fails")
    .optional(),
});

export const createBody = bodySchema("CreateSession", {
  title: parts.title.optional(),
  actor: parts.actorClaim.optional(),
  schema: z
    .record(z.string(), anyJson)
    .nullable()
    .describe("JSON Schema 2020-12 whose properties are the fields")
    .optional(),
  fields: parts.fields.optional(),
  confidence: parts.confidence.optional(),
  ttlMs: parts.duration.describe("Default 7 days; allowed by default: 1 s to 90 days").optional(),
  idleTtlMs: parts.duration
    .describe(
      "The session expires this long after its last write, append or resume; at least 2 days. If ttlMs is absent, this is also the initial lifetime",
    )
    .optional(),
  review: z
    .strictObject({
      required: z.boolean().default(true),
      approvals: z.int().min(1).max(LIMITS.approvals).default(1),
      identity: z
        .boolean()
        .describe("If true, reviewers must be signed in with the OpenID provider of this server")
        .optional(),
    })
    .optional(),
  nextStep: nextStepSchema.nullable().optional(),
  policy: policySchema.nullable().optional(),
  bind: parts.bind.optional(),
  labels: parts.labels.optional(),
  externalId: parts.externalId.optional(),
  template: parts.template.optional(),
  jurisdiction: z
    .enum(JURISDICTIONS)
    .describe(
      "The session and its files never leave this jurisdiction; allowed only if the server supports it",
    )
    .optional(),
  locationHint: z
    .enum(LOCATION_HINTS)
    .describe("Where most of its requests come from; only a hint")
    .optional(),
});

export const resumeBody = bodySchema("Resume", {
  lastEventSeq: z
    .int()
    .min(0)
    .describe("The last event seen; default: the stored cursor")
    .optional(),
  actor: parts.actorClaim.optional(),
  auto: z.boolean().describe("True if the resume is automatic").optional(),
  onInvalid: z
    .enum(["fail", "fresh"])
    .describe(
      "fresh: creates a new session, with a warning, if the token is invalid or expired, or its session is gone",
    )
    .optional(),
});

export const resumableQuery = z.object({
  lastEventSeq: parts.wholeNumber.optional(),
  auto: z
    .enum(["true", "false"])
    .transform((value) => value === "true")
    .optional(),
});

export const emptyBody = bodySchema("Empty", {});

export const reasonBody = bodySchema("Reason", { reason: parts.text.optional() });

export const extendBody = bodySchema("Extend", {
  ttlMs: parts.duration.describe("The new lifetime, counted from now"),
});
