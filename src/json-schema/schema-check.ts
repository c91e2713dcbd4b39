/**
 * Checks whether a JSON Schema is supported, once, at creation: it is well-formed, its root
 * describes an object, its references are internal and resolve, its patterns can be matched, and
 * the work per value is bounded (limits.ts).
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { META_SCHEMA } from "./meta-schema";
import { compilePattern, patternSize } from "./pattern";
import { referencesProblem } from "./schema-references";
import { validateValue } from "./schema-validator";

/** Keywords whose value is a schema or a list of schemas. The values of other keywords are data. */
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
/** Keywords whose value maps arbitrary names to schemas. */
const NAMED_SCHEMAS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const UNSUPPORTED = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$anchor", "dependencies"];

/** What is wrong with the schema, as text, or null. */
export function schemaProblem(schema: JsonObject): string | null {
  const { problems, exhaustedAt } = validateValue(
    META_SCHEMA,
    META_SCHEMA,
    schema,
    LIMITS.validationSteps,
  );
  if (exhaustedAt !== null)
    return `${["schema", ...exhaustedAt].join(".")}: takes too long to read`;
  const worst = problems.reduce<(typeof problems)[number] | null>(
    (deepest, one) => (one.path.length > (deepest?.path.length ?? -1) ? one : deepest),
    null,
  );
  if (worst !== null) return `${["schema", ...worst.path].join(".")}: ${worst.message}`;
  const type = schema["type"];
  if (type !== undefined && type !== "object") return 'schema.type must be "object"';
  const found: SchemaScan = { nodes: new Map(), patternSteps: 0 };
  return (
    schemaNodeProblem(schema, schema, "schema", found) ?? referencesProblem(schema, found.nodes)
  );
}

interface SchemaScan {
  readonly nodes: Map<JsonObject, string>;
  patternSteps: number;
}

/** Visits all nested schemas and records each with its path. */
function schemaNodeProblem(
  root: JsonObject,
  node: Json,
  path: string,
  found: SchemaScan,
): string | null {
  if (!isJsonObject(node)) return null;
  found.nodes.set(node, path);
  const problem = referenceProblem(root, node, path) ?? patternProblem(node, path, found);
  if (problem !== null) return problem;
  for (const [keyword, value] of Object.entries(node)) {
    for (const [key, child] of childSchemas(keyword, value)) {
      const inner = schemaNodeProblem(root, child, `${path}.${key}`, found);
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
  const id = own(node, "$id");
  if (typeof id === "string" && !URL.canParse(id, "https://schema.invalid/"))
    return `${path}.$id cannot be used as an address`;
  const reference = own(node, "$ref");
  return typeof reference === "string" && !reference.startsWith("#")
    ? `${path}.$ref must stay inside the schema ("#/…")`
    : null;
}

function patternProblem(node: JsonObject, path: string, found: SchemaScan): string | null {
  const pattern = own(node, "pattern");
  const keyed = own(node, "patternProperties");
  const patterns = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isJsonObject(keyed) ? Object.keys(keyed) : []),
  ];
  for (const source of patterns) {
    if (source.length > LIMITS.patternLength) {
      return `${path}: a pattern is longer than ${LIMITS.patternLength}`;
    }
    const compiled = compilePattern(source);
    if (typeof compiled === "string") {
      return `${path}: the pattern ${JSON.stringify(source)} ${compiled}`;
    }
    found.patternSteps += patternSize(compiled);
    if (found.patternSteps > LIMITS.patternSteps) {
      return `${path}: all patterns together have more than ${LIMITS.patternSteps} steps; shorten {…} or use maxLength`;
    }
  }
  return null;
}
