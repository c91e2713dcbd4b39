/**
 * Which fields a schema calls private: `"x-baton": {"private": true}` on the field, or on anything inside
 * it, because a field is kept as one value. A mark counts wherever the schema names a field of the
 * document, in a condition too. One that names no field is refused, and never ignored.
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
    documentProperties(schema, true)
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
    // A field may be called "x-baton", so nothing is left out.
    ...Object.values(object).flatMap((child) => marks(root, child, seen)),
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
  const found = markedNodes(schema, "schema");
  const wrong = found.find(({ node }) => markOf(node).some((mark) => mark !== true));
  if (wrong !== undefined) return `${wrong.path}: "private" in "x-baton" is true or false`;
  const isTied = tiedNodes(schema);
  const loose = found.find(({ node }) => !isTied.has(node))?.path ?? unnamedPath(schema);
  if (loose !== null) return `${loose}: "private" must stand at a field under "properties"`;
  const file = [...privateFields(schema)].find(takesFile);
  return file === undefined ? null : `schema.properties.${file}: a file cannot be private`;
}

interface Marked {
  readonly node: JsonObject;
  readonly path: string;
}

/** Everything that bears a mark, wherever it stands; no reference is followed. */
function markedNodes(node: Json, path: string): readonly Marked[] {
  if (Array.isArray(node)) {
    return (node as readonly Json[]).flatMap((one, at) => markedNodes(one, `${path}[${at}]`));
  }
  if (!isJsonObject(node)) return [];
  return [
    ...(markOf(node).length > 0 ? [{ node, path }] : []),
    ...Object.entries(node).flatMap(([key, child]) => markedNodes(child, `${path}.${key}`)),
  ];
}

/** What belongs to a named field of the document. A field that refers to the whole ties nothing more. */
function tiedNodes(schema: JsonObject): ReadonlySet<Json> {
  const documents = documentNodes(schema, true);
  const seen = new Set<Json>(documents);
  for (const [, node] of documentProperties(schema, true)) marks(schema, node, seen);
  for (const node of documents) seen.delete(node);
  return seen;
}

/** A mark that a field has, and that is referred to for fields without a name as well. */
function unnamedPath(schema: JsonObject): string | null {
  for (const node of documentNodes(schema, true)) {
    const keyword = UNNAMED.find((one) => marks(schema, own(node, one) ?? null).length > 0);
    if (keyword !== undefined) return `schema: ${keyword}`;
  }
  return null;
}
