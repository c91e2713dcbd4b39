/**
 * Which fields a schema calls private: `"x-baton": {"private": true}` on the field, or on anything inside
 * it, because a field is kept as one value. A mark counts wherever the schema names a field of the
 * document, in a condition too. One that names no field is refused, and never ignored.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { documentNodes, documentProperties } from "./document-properties";
import { schemaAt } from "./schema-pointer";

const privateFieldCache = new WeakMap<JsonObject, ReadonlySet<string>>();
const NONE: ReadonlySet<string> = new Set();

export function privateFields(schema: JsonObject | null): ReadonlySet<string> {
  if (schema === null) return NONE;
  const found = privateFieldCache.get(schema) ?? findPrivateFields(schema);
  privateFieldCache.set(schema, found);
  return found;
}

function findPrivateFields(schema: JsonObject): ReadonlySet<string> {
  const isMarked = markedWithin(schema);
  return new Set(
    documentProperties(schema, true)
      .filter(([, node]) => isMarked.has(node))
      .map(([name]) => name),
  );
}

/**
 * Whatever has a mark, here or inside, references followed. Every part is looked at once, however many
 * refer to it: the marks are carried back along the ways that lead to them.
 */
function markedWithin(root: JsonObject): ReadonlySet<Json> {
  const waysTo = new Map<Json, Json[]>([[root, []]]);
  for (const node of waysTo.keys()) {
    for (const next of partsOf(root, node)) {
      const ways = waysTo.get(next);
      if (ways === undefined) waysTo.set(next, [node]);
      else ways.push(node);
    }
  }
  const marked = new Set([...waysTo.keys()].filter((node) => markOf(node).length > 0));
  for (const node of marked) for (const from of waysTo.get(node) ?? []) marked.add(from);
  return marked;
}

/** What stands in a part, and what it refers to. A field may be called "x-baton": nothing is left out. */
function partsOf(root: JsonObject, node: Json): readonly Json[] {
  const reference = isJsonObject(node) ? own(node, "$ref") : undefined;
  const target = typeof reference === "string" ? schemaAt(root, reference) : undefined;
  return [...Object.values(node as JsonObject), target ?? null].filter(
    (part) => typeof part === "object" && part !== null,
  );
}

function markOf(node: Json): readonly Json[] {
  if (!isJsonObject(node)) return [];
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
  if (wrong !== undefined) return `${wrong.path}: "private" in "x-baton" must be true or false`;
  const isTied = fieldNodes(schema);
  const loose = found.find(({ node }) => !isTied.has(node))?.path ?? unnamedPath(schema);
  if (loose !== null) return `${loose}: "private" must be on a field under "properties"`;
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
function fieldNodes(schema: JsonObject): ReadonlySet<Json> {
  const documents = new Set<Json>(documentNodes(schema, true));
  const isFree = (node: Json): boolean =>
    typeof node === "object" && node !== null && !documents.has(node);
  const fields = documentProperties(schema, true).map(([, node]) => node);
  const tied = new Set(fields.filter(isFree));
  for (const node of tied)
    for (const part of partsOf(schema, node)) if (isFree(part)) tied.add(part);
  return tied;
}

/** A mark that a field has, and that is referred to for fields without a name as well. */
function unnamedPath(schema: JsonObject): string | null {
  const isMarked = markedWithin(schema);
  for (const node of documentNodes(schema, true)) {
    const keyword = UNNAMED.find((one) => isMarked.has(own(node, one) ?? null));
    if (keyword !== undefined) return `schema: ${keyword}`;
  }
  return null;
}
