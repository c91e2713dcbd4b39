/**
 * The schema of a document of which only some fields are visible. For a person's page the properties
 * of hidden fields are removed. Parts that apply to several fields (`allOf`, `if`, `$defs`) stay, because forms are
 * drawn from them, and a part of a condition has another meaning than the whole. Forms draw them
 * only for visible fields, so they do not reach a page.
 */
import { tryDecodeUri } from "../decode-uri";
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

/**
 * For an agent, which reads the schema itself: the properties of visible fields, and the shared
 * definitions that they refer to. Everything else of the schema may describe hidden fields.
 */
export function strictSchema(
  schema: JsonObject | null,
  visible: readonly string[],
): JsonObject | null {
  if (schema === null) return null;
  const all = own(schema, "properties") ?? null;
  const properties = Object.entries(isJsonObject(all) ? visibleProperties(all, visible) : {}).map(
    // A reference to another place could lead to a hidden field.
    ([name, node]) => [name, refersToFields(node) ? {} : node] as const,
  );
  const required = own(schema, "required");
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(Array.isArray(required)
      ? { required: (required as readonly Json[]).filter((one) => visible.includes(String(one))) }
      : {}),
    ...definitionsFor(
      schema,
      properties.map(([, node]) => node),
    ),
  };
}

const DEFINITIONS = ["$defs", "definitions"] as const;

/** The shared definitions that these nodes refer to, directly or through each other. */
function definitionsFor(schema: JsonObject, nodes: readonly Json[]): JsonObject {
  const found = new Map<string, Json>();
  const waiting = [...nodes];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const [keyword, name] of sharedReferences(node)) {
      const pointer = `${keyword}/${name}`;
      const group = own(schema, keyword) ?? null;
      const definition = isJsonObject(group) ? own(group, name) : undefined;
      if (definition === undefined || found.has(pointer)) continue;
      found.set(pointer, refersToFields(definition) ? {} : definition);
      waiting.push(found.get(pointer) ?? {});
    }
  }
  return Object.fromEntries(
    DEFINITIONS.flatMap((keyword) => {
      const entries = [...found]
        .filter(([pointer]) => pointer.startsWith(`${keyword}/`))
        .map(([pointer, definition]) => [pointer.slice(keyword.length + 1), definition] as const);
      return entries.length === 0 ? [] : [[keyword, Object.fromEntries(entries)] as const];
    }),
  );
}

/** The definitions that a node refers to: the keyword that has them, and their names. */
function sharedReferences(node: Json): readonly (readonly [string, string])[] {
  if (Array.isArray(node)) return (node as readonly Json[]).flatMap(sharedReferences);
  if (!isJsonObject(node)) return [];
  return Object.entries(node).flatMap(([keyword, value]) => {
    if (!REFERENCES.has(keyword) || typeof value !== "string") return sharedReferences(value);
    const [, group = "", name = ""] = value.split("/");
    return [
      [group, (tryDecodeUri(name) ?? "").replaceAll("~1", "/").replaceAll("~0", "~")] as const,
    ];
  });
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
