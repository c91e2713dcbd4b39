/**
 * The only table from a failure to its HTTP status, and the problem document of a failure. The table
 * is exhaustive: a new failure does not compile until it has a status here and a text in problem-text.ts.
 */
import * as z from "zod";
import type { Failure, FailureCode } from "../domain/failure";
import { describeFailure } from "./problem-text";
import {
  actorSchema,
  eventSchema,
  fieldErrors,
  seq,
  visibleSessionSchema,
  timestamp,
} from "./session-schemas";
import { namedSchema } from "./named-schemas";

export const STATUS = {
  invalid_request: 400,
  credential_missing: 401,
  token_invalid: 403,
  scope_denied: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  token_superseded: 409,
  version_conflict: 409,
  illegal_transition: 409,
  paused: 409,
  replay_gap: 409,
  checkpoint_corrupt: 409,
  busy: 409,
  lease_held: 409,
  lease_lost: 409,
  external_id_taken: 409,
  expired: 410,
  gone: 410,
  length_required: 411,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid_fields: 422,
  missing_fields: 422,
  idempotency_mismatch: 422,
  upgrade_required: 426,
  rate_limited: 429,
  internal: 500,
  not_configured: 501,
  overloaded: 503,
} as const satisfies Record<FailureCode, number>;

export const problemSchema = namedSchema("Problem", {
  type: z.string().describe("Where the code is explained"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(STATUS) as [FailureCode, ...FailureCode[]]),
  retryable: z.boolean().describe("Whether the same request may succeed later, unchanged"),
  nextActions: z.array(z.string()).describe("What to do now"),
  sessionId: z.string().describe("Present if the caller may know it").optional(),
  current: visibleSessionSchema.optional(),
  missed: z.array(eventSchema).describe("The first events the caller has not seen").optional(),
  more: z.boolean().describe("True if there are more missed events than shown").optional(),
  errors: fieldErrors.describe("One entry per field").optional(),
  at: z.string().describe("Which part of the request is wrong").optional(),
  from: z.string().optional(),
  operation: z.string().optional(),
  allowed: z
    .union([z.array(z.string()), z.int()])
    .describe("Operations that the state allows; for a quota, the number")
    .optional(),
  needed: z.string().describe("The scope that was missing").optional(),
  quota: z.string().describe("The quota that is reached").optional(),
  used: z.int().optional(),
  expiresAt: timestamp.optional(),
  limit: z.int().optional(),
  retryAfterMs: z.int().optional(),
  holder: namedSchema("LeaseHolder", { participant: z.string(), actor: actorSchema })
    .describe("Who holds the lease")
    .optional(),
  setting: z.string().describe("The setting of the server that is missing").optional(),
  floor: seq.describe("The seq of the last event that was trimmed").optional(),
  checkpoint: z
    .object({ id: z.string(), name: z.string(), seq })
    .describe("The checkpoint that replaces the removed events")
    .optional(),
});

export type Problem = z.infer<typeof problemSchema>;

/** `context` is what is known of the session. */
export function toProblem(
  failure: Failure,
  context: Pick<Problem, "sessionId" | "more"> & { current?: unknown; missed?: unknown } = {},
): Problem {
  const { title, detail, retryable, nextActions, extensions } = describeFailure(failure);
  const { sessionId, current, missed, more } = context;
  return {
    type: `/docs/errors#${failure.code}`,
    title,
    status: STATUS[failure.code],
    detail,
    code: failure.code,
    retryable,
    nextActions: [...nextActions],
    ...(sessionId === undefined ? {} : { sessionId }),
    ...extensions,
    ...(current === undefined ? {} : { current: current as Problem["current"] }),
    ...(missed === undefined ? {} : { missed: missed as Problem["missed"], more }),
  } as Problem;
}
