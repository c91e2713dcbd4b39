/**
 * Which fields a schema calls private: `"x-baton": {"private": true}` on the field, or on anything inside
 * it, because a field is kept as one value. Places where the mark could name no field are refused.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { documentNodes, documentProperties } from "./document-properties";
import { schemaAt } from "./schema-pointer";

const known = new WeakMap<JsonObject, ReadonlySet<string>>();
const NONE: ReadonlySet<string> = new Set();

export function privateFields(schema: JsonObject | null): ReadonlySet<string> {
  if (schema === null) return NONE;
  const found = known.get(schema) ?? findIn(schema);
  known.set(schema, found);
  return found;
}

const findIn = (schema: JsonObject): ReadonlySet<string> =>
  new Set(
    documentProperties(schema)
      .filter(([, node]) => marks(schema, node).length > 0)
      .map(([name]) => name),
  );

/** What is said at `private`, here and inside, references followed. */
function marks(root: JsonObject, node: Json, seen = new Set<Json>()): readonly Json[] {
  if (typeof node !== "object" || node === null || seen.has(node)) return [];
  seen.add(node);
  if (Array.isArray(node))
    return (node as readonly Json[]).flatMap((one) => marks(root, one, seen));
  const object = node as JsonObject;
  const reference = own(object, "$ref");
  const target = typeof reference === "string" ? schemaAt(root, reference) : undefined;
  return [
    ...markOf(object),
    ...(target === undefined ? [] : marks(root, target, seen)),
    ...Object.entries(object).flatMap(([key, child]) =>
      key === "x-baton" ? [] : marks(root, child, seen),
    ),
  ];
}

function markOf(node: JsonObject): readonly Json[] {
  const hints = own(node, "x-baton") ?? null;
  const mark = isJsonObject(hints) ? own(hints, "private") : undefined;
  return mark === undefined || mark === false ? [] : [mark];
}

/** Keywords that speak of fields without naming them. */
const UNNAMED = [
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
] as const;

/** What is wrong with the marks of a schema, in words, or null. */
export function privateProblem(
  schema: JsonObject,
  takesFile: (field: string) => boolean,
): string | null {
  if (marks(schema, schema).some((mark) => mark !== true)) {
    return `schema: "private" in "x-baton" is true or false`;
  }
  for (const node of documentNodes(schema)) {
    const isUnnamed = UNNAMED.some(
      (keyword) => marks(schema, own(node, keyword) ?? null).length > 0,
    );
    if (isUnnamed || markOf(node).length > 0) {
      return `schema: "private" must stand at a field under "properties"`;
    }
  }
  const file = [...privateFields(schema)].find(takesFile);
  return file === undefined ? null : `schema.properties.${file}: a file cannot be private`;
}
