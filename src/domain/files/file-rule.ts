/**
 * Which files a field accepts. A field accepts files if its schema has `format: "file"`. `accept`
 * lists media types (`image/*` for a family), and `maxBytes` limits the size.
 */
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";

export interface FileRule {
  /** If empty, any type is accepted. */
  readonly accept: readonly string[];
  readonly maxBytes: number;
}

export const ANY_FILE: FileRule = { accept: [], maxBytes: LIMITS.uploadBytes };

/** The schema of the file in this field, if the field accepts one file or a list of files. */
export function fileSchemaOf(schema: JsonObject | null, field: string): JsonObject | null {
  const node = fieldSchemaOf(schema, field);
  if (node === null) return null;
  const items = own(node, "items") ?? null;
  if (isJsonObject(items) && own(items, "format") === "file") return items;
  return own(node, "format") === "file" ? node : null;
}

/** Does the field hold a list of files? */
export function isFileList(schema: JsonObject | null, field: string): boolean {
  const node = fieldSchemaOf(schema, field);
  return node !== null && fileSchemaOf(schema, field) !== null && own(node, "format") !== "file";
}

function fieldSchemaOf(schema: JsonObject | null, field: string): JsonObject | null {
  const properties = schema === null ? null : (own(schema, "properties") ?? null);
  const node = isJsonObject(properties) ? (own(properties, field) ?? null) : null;
  return isJsonObject(node) ? node : null;
}

export function fileRuleOf(node: JsonObject): FileRule {
  const accept = own(node, "accept");
  const maxBytes = own(node, "maxBytes");
  return {
    accept: typesIn(accept),
    maxBytes:
      typeof maxBytes === "number" ? Math.min(maxBytes, LIMITS.uploadBytes) : LIMITS.uploadBytes,
  };
}

/** A string is a comma-separated list, as in HTML. */
const typesIn = (accept: Json | undefined): readonly string[] =>
  (typeof accept === "string" ? accept.split(",") : listOf(accept))
    .filter((type) => typeof type === "string")
    .map((type) => type.trim())
    .filter((type) => type !== "");

/** Parameters such as a charset are ignored. */
export function isAccepted({ accept }: FileRule, type: string): boolean {
  const [essence = ""] = type.toLowerCase().split(";");
  return (
    accept.length === 0 ||
    accept.some((accepted) =>
      accepted.endsWith("/*")
        ? essence.trim().startsWith(accepted.slice(0, -1).toLowerCase())
        : essence.trim() === accepted.toLowerCase(),
    )
  );
}
