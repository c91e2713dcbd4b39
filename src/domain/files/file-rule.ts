/**
 * What a field wants of a file. A field takes one where its schema says `format: "file"`; `accept`
 * lists media types (`image/*` for a family), `maxBytes` bounds the size.
 */
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";

export interface FileRule {
  /** Empty: any. */
  readonly accept: readonly string[];
  readonly maxBytes: number;
}

export const ANY_FILE: FileRule = { accept: [], maxBytes: LIMITS.uploadBytes };

/** The field's own schema, where it says that the field takes a file, or several. */
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

/** A text is a list as HTML writes it, with commas. */
const typesIn = (accept: Json | undefined): readonly string[] =>
  (typeof accept === "string" ? accept.split(",") : listOf(accept))
    .filter((type) => typeof type === "string")
    .map((type) => type.trim())
    .filter((type) => type !== "");

/** Parameters such as a charset do not count. */
export function isAccepted({ accept }: FileRule, type: string): boolean {
  const [essence = ""] = type.toLowerCase().split(";");
  return (
    accept.length === 0 ||
    accept.some((wanted) =>
      wanted.endsWith("/*")
        ? essence.trim().startsWith(wanted.slice(0, -1).toLowerCase())
        : essence.trim() === wanted.toLowerCase(),
    )
  );
}
