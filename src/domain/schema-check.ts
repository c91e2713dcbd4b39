/**
 * Is a given JSON Schema one this product can keep its word on? Checked once, at creation: well
 * formed, a root of objects, references that stay inside and resolve, patterns that compile.
 */
import { Validator, type Schema } from "@cfworker/json-schema";
import { isJsonObject, own, type Json, type JsonObject } from "./json";
import { META_SCHEMA } from "./meta-schema";
import { referencesProblem } from "./schema-references";

const PATTERN_LENGTH = 500;

/** Keywords whose value is a schema or a list of them; in others whatever stands is data. */
const SCHEMAS = new Set([
  "items",
  "prefixItems",
  "contains",
  "unevaluatedItems",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "anyOf",
  "oneOf",
]);
/** Keywords whose value maps freely chosen names to schemas. */
const NAMED_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const UNSUPPORTED = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$anchor", "dependencies"];

/** What is wrong with the schema, in words, or null. */
export function schemaProblem(schema: JsonObject): string | null {
  const { valid, errors } = new Validator(META_SCHEMA as Schema, "2020-12").validate(schema);
  if (!valid) {
    const last = errors.at(-1);
    return `schema${last?.instanceLocation.slice(1) ?? ""}: ${last?.error ?? "is malformed"}`;
  }
  const type = schema["type"];
  if (type !== undefined && type !== "object") return 'schema.type must be "object"';
  const nodes = new Set<JsonObject>();
  return schemaNodeProblem(schema, schema, "schema", nodes) ?? referencesProblem(schema, nodes);
}

/** Goes through all schemas inside, noting each in `seen`. */
function schemaNodeProblem(
  root: JsonObject,
  node: Json,
  path: string,
  seen: Set<JsonObject>,
): string | null {
  if (!isJsonObject(node)) return null;
  seen.add(node);
  const problem = referenceProblem(root, node, path) ?? patternProblem(node, path);
  if (problem !== null) return problem;
  for (const [keyword, value] of Object.entries(node)) {
    for (const [key, child] of childSchemas(keyword, value)) {
      const inner = schemaNodeProblem(root, child, `${path}.${key}`, seen);
      if (inner !== null) return inner;
    }
  }
  return null;
}

function childSchemas(keyword: string, value: Json): readonly (readonly [string, Json])[] {
  if (NAMED_SCHEMAS.has(keyword) && isJsonObject(value)) {
    return Object.entries(value).map(([name, entry]) => [`${keyword}.${name}`, entry]);
  }
  if (!SCHEMAS.has(keyword)) return [];
  return Array.isArray(value)
    ? value.map((entry, index) => [`${keyword}[${index}]`, entry])
    : [[keyword, value]];
}

function referenceProblem(root: JsonObject, node: JsonObject, path: string): string | null {
  const unsupported = UNSUPPORTED.find((keyword) => Object.hasOwn(node, keyword));
  if (unsupported !== undefined) return `${path}.${unsupported} is not supported`;
  if (node !== root && Object.hasOwn(node, "$id"))
    return `${path}.$id is only supported at the root`;
  const reference = own(node, "$ref");
  return typeof reference === "string" && !reference.startsWith("#")
    ? `${path}.$ref must stay inside the schema ("#/…")`
    : null;
}

function patternProblem(node: JsonObject, path: string): string | null {
  const pattern = own(node, "pattern");
  const keyed = own(node, "patternProperties");
  const patterns = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isJsonObject(keyed) ? Object.keys(keyed) : []),
  ];
  for (const source of patterns) {
    if (source.length > PATTERN_LENGTH)
      return `${path}: a pattern is longer than ${PATTERN_LENGTH}`;
    if (!isPattern(source)) {
      return `${path}: the pattern ${JSON.stringify(source)} is not a regular expression`;
    }
  }
  return null;
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
