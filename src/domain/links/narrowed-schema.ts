/**
 * The schema of a document of which only some fields are visible. The properties of hidden fields
 * are removed. Parts that apply to several fields (`allOf`, `if`, `$defs`) stay, because forms are
 * drawn from them, and a part of a condition has another meaning than the whole. Forms draw them
 * only for visible fields, so they do not reach a page.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../json";

export function narrowSchema(
  schema: JsonObject | null,
  visible: readonly string[],
): JsonObject | null {
  // Properties that another part refers to cannot be removed.
  if (schema === null || refersToFields(schema)) return schema;
  const properties = own(schema, "properties") ?? null;
  const required = own(schema, "required");
  return {
    ...schema,
    ...(isJsonObject(properties) ? { properties: visibleProperties(properties, visible) } : {}),
    ...(Array.isArray(required)
      ? { required: (required as readonly Json[]).filter((one) => visible.includes(String(one))) }
      : {}),
  };
}

const visibleProperties = (properties: JsonObject, visible: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => visible.includes(name)));

const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
const SHARED = /^#\/(?:\$defs|definitions)\//;

/** Whether a reference leads anywhere but to a shared definition. */
function refersToFields(node: Json): boolean {
  if (Array.isArray(node)) return (node as readonly Json[]).some(refersToFields);
  if (!isJsonObject(node)) return false;
  return Object.entries(node).some(([keyword, value]) =>
    REFERENCES.has(keyword) && typeof value === "string"
      ? !SHARED.test(value)
      : refersToFields(value),
  );
}
