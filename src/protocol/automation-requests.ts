/** Request bodies for stops, checkpoints, forks and trims. */
import * as z from "zod";
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import { STOP_REASONS } from "../domain/stops/policy";
import { text, fraction } from "./request-parts";
import { anyJson } from "./session-schemas";
import { bodySchema } from "./named-schemas";

const SECONDS_OR_DATE =
  "^([0-9]{1,6}|(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (0[1-9]|[12][0-9]|3[01]) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] GMT)$";

export const stopBody = bodySchema("StopReport", {
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
    .describe("The value of the header Retry-After: seconds or an HTTP date")
    .optional(),
  usage: z.record(z.string(), anyJson).optional(),
  exitCode: z.int().optional(),
  evidence: text.describe("What you observed").optional(),
  confidence: fraction.optional(),
});

export const checkpointBody = bodySchema("TakeCheckpoint", {
  name: z.string().min(1).max(LIMITS.checkpointNameLength).optional(),
  pinned: z.boolean().optional(),
});

export const pinBody = bodySchema("PinCheckpoint", { pinned: z.boolean() });

const checkpointRef = z
  .string()
  .refine((id) => numberOf(id, "chk_") !== null, {
    error: "must be the id of a checkpoint, such as chk_1",
  })
  .meta({ pattern: "^chk_[1-9][0-9]{0,8}$" });

export const forkBody = bodySchema("Fork", {
  from: checkpointRef.describe("A checkpoint's id; default: the current document").optional(),
  reason: text.default("fork"),
  finalizeParent: z.boolean().optional(),
  template: z
    .string()
    .max(LIMITS.templateLength)
    .describe("The text with the placeholders {step}, {description} and {context}")
    .optional(),
});

export const trimBody = bodySchema("Trim", {
  checkpoint: checkpointRef.describe("The checkpoint that replaces the removed events"),
});
