/** Request bodies for the document and its review. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import * as parts from "./request-parts";
import { nextStepSchema } from "./session-schemas";
import { bodySchema } from "./named-schemas";

export const setFieldsBody = z
  .strictObject({
    fields: parts.fields.optional(),
    confidence: parts.confidence.optional(),
    title: parts.title.optional(),
    nextStep: nextStepSchema.nullable().optional(),
    labels: parts.labels
      .describe("Replaces all labels; no other member may be sent with it")
      .optional(),
  })
  .refine(
    (body) =>
      Object.keys(body.fields ?? {}).length > 0 ||
      body.title !== undefined ||
      body.nextStep !== undefined ||
      body.labels !== undefined,
    { error: "give at least one of fields, title, nextStep and labels" },
  )
  .refine((body) => body.labels === undefined || Object.keys(body).length === 1, {
    error: "labels must be sent alone",
  })
  .meta({ id: "SetFields" });

export const validateBody = bodySchema("Validate", { fields: parts.fields.optional() });

export const requestInputBody = bodySchema("RequestInput", {
  note: parts.text.optional(),
  ...parts.terms,
  fields: z
    .array(parts.fieldName)
    .max(LIMITS.fields)
    .describe("The older name of `ask`")
    .meta({ deprecated: true })
    .optional(),
  remindAfterMs: parts.duration
    .describe("The time after which a reminder is sent if there is no answer yet")
    .optional(),
});

export const commentBody = bodySchema("Comment", { comment: parts.text.optional() });

export const requestChangesBody = bodySchema("RequestChanges", {
  comment: parts.text.optional(),
  fields: z.record(parts.fieldName, parts.text).describe("A comment per field").optional(),
});
