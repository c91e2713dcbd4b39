/**
 * The schema of a document of which only some fields are seen. Fields that are not seen leave its
 * properties. Parts that hold for several fields (`allOf`, `if`, `$defs`) stay: a form is drawn from
 * them, and a part of a condition means something else than the condition. They are drawn for fields
 * that are seen only, so nothing of them reaches a page.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../json";

export function narrowSchema(
  schema: JsonObject | null,
  visible: readonly string[],
): JsonObject | null {
  // What another part refers to cannot be taken out.
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

/** Is there a reference to anything but a shared definition? */
function refersToFields(node: Json): boolean {
  if (Array.isArray(node)) return (node as readonly Json[]).some(refersToFields);
  if (!isJsonObject(node)) return false;
  return Object.entries(node).some(([keyword, value]) =>
    REFERENCES.has(keyword) && typeof value === "string"
      ? !SHARED.test(value)
      : refersToFields(value),
  );
}
