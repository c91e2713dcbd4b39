/**
 * The fields that a schema marks as private: `"x-baton": {"private": true}` on the field, or
 * anywhere inside it, because a field is stored as one value. A mark counts wherever the schema
 * names a field of the document, including conditions. A mark that belongs to no field is refused,
 * never ignored.
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
 * All nodes that have a mark, or contain one, with references followed. Each node is visited once,
 * however many refer to it: marks are propagated back along the edges that lead to them.
 */
function markedWithin(root: JsonObject): ReadonlySet<Json> {
  const referrers = new Map<Json, Json[]>([[root, []]]);
  for (const node of referrers.keys()) {
    for (const next of partsOf(root, node)) {
      const known = referrers.get(next);
      if (known === undefined) referrers.set(next, [node]);
      else known.push(node);
    }
  }
  const marked = new Set([...referrers.keys()].filter((node) => markOf(node).length > 0));
  for (const node of marked) for (const from of referrers.get(node) ?? []) marked.add(from);
  return marked;
}

/**
 * The children of a node and the target of its reference. A field may be named "x-baton", so
 * nothing is skipped.
 */
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

/** Keywords that apply to fields without naming them. */
const UNNAMED = [
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
] as const;

/** What is wrong with the marks of a schema, as text, or null. */
export function privateProblem(
  schema: JsonObject,
  takesFile: (field: string) => boolean,
): string | null {
  const found = markedNodes(schema, "schema");
  const wrong = found.find(({ node }) => markOf(node).some((mark) => mark !== true));
  if (wrong !== undefined) return `${wrong.path}: "private" in "x-baton" must be true or false`;
  const belongsToField = fieldNodes(schema);
  const unbound = found.find(({ node }) => !belongsToField.has(node))?.path ?? unnamedPath(schema);
  if (unbound !== null) return `${unbound}: "private" must be on a field under "properties"`;
  const file = [...privateFields(schema)].find(takesFile);
  return file === undefined ? null : `schema.properties.${file}: a file cannot be private`;
}

interface Marked {
  readonly node: JsonObject;
  readonly path: string;
}

/** All nodes with a mark, with their paths. References are not followed. */
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

/**
 * The nodes that belong to a named field of the document. A reference to the whole document adds
 * nothing.
 */
function fieldNodes(schema: JsonObject): ReadonlySet<Json> {
  const documents = new Set<Json>(documentNodes(schema, true));
  const isFree = (node: Json): boolean =>
    typeof node === "object" && node !== null && !documents.has(node);
  const fields = documentProperties(schema, true).map(([, node]) => node);
  const nodes = new Set(fields.filter(isFree));
  for (const node of nodes)
    for (const part of partsOf(schema, node)) if (isFree(part)) nodes.add(part);
  return nodes;
}

/** The path of a mark that a reference also applies to fields without a name, or null. */
function unnamedPath(schema: JsonObject): string | null {
  const isMarked = markedWithin(schema);
  for (const node of documentNodes(schema, true)) {
    const keyword = UNNAMED.find((one) => isMarked.has(own(node, one) ?? null));
    if (keyword !== undefined) return `schema: ${keyword}`;
  }
  return null;
}
