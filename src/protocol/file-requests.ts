/** Request bodies for uploads. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { fieldName } from "./request-parts";
import { bodySchema } from "./named-schemas";

const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, { error: "must be 64 hexadecimal digits" })
  .describe("The hash that the received bytes must have");

export const requestUploadBody = bodySchema("RequestUpload", {
  field: fieldName.describe('A field whose schema says format: "file"').optional(),
  name: z
    .string()
    .min(1)
    .max(LIMITS.fileNameLength)
    .regex(/^[^\p{Cc}/\\]+$/u, { error: "must be a file's name, without a path" })
    // For tools that do not support Unicode classes.
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
});

export const confirmUploadBody = bodySchema("ConfirmUpload", {
  size: z.int().min(0).optional(),
  sha256: sha256.optional(),
});
