/**
 * What a schema says of single values, apart from what only a whole document can fulfil: the root,
 * the parts of its `allOf`, and what these refer to, all of which speak of the same document.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { schemaAt } from "./schema-pointer";

/** Keywords that speak about the whole document and would refuse a half-filled one. */
const WHOLE_DOCUMENT = new Set([
  "required",
  "minProperties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "if",
  "then",
  "else",
  "not",
  "anyOf",
  "oneOf",
  "unevaluatedProperties",
]);

/** The schema without what only a whole document can fulfil. */
export const valuesOnly = (schema: JsonObject): JsonObject => partialNode(schema, schema, []);

/** Names the schema asks for outright. */
export const requiredFields = (schema: JsonObject | null): readonly string[] =>
  schema === null ? [] : [...new Set(requiredBy(schema, schema, []))];

/** A reference is written out, because its target stays as it is for those who refer to it inside. */
function partialNode(root: JsonObject, node: JsonObject, followed: readonly Json[]): JsonObject {
  const target = targetOf(root, node, followed);
  const entries = Object.entries(node).filter(
    ([keyword]) =>
      !WHOLE_DOCUMENT.has(keyword) &&
      keyword !== "allOf" &&
      (keyword !== "$ref" || target === undefined),
  );
  const parts = [...partsOf(node), ...(target === undefined ? [] : [target])].map((part) =>
    isJsonObject(part) ? partialNode(root, part, [...followed, node]) : part,
  );
  return Object.fromEntries(parts.length === 0 ? entries : [...entries, ["allOf", parts]]);
}

function requiredBy(
  root: JsonObject,
  node: JsonObject,
  followed: readonly Json[],
): readonly string[] {
  const names = own(node, "required");
  return [
    ...(Array.isArray(names) ? (names as string[]) : []),
    ...[...partsOf(node), targetOf(root, node, followed)]
      .filter(isJsonObject)
      .flatMap((part) => requiredBy(root, part, [...followed, node])),
  ];
}

function partsOf(node: JsonObject): readonly Json[] {
  const parts = own(node, "allOf");
  return Array.isArray(parts) ? parts : [];
}

/** Undefined where there is no reference, it leads nowhere, or back to where one came from. */
function targetOf(root: JsonObject, node: JsonObject, followed: readonly Json[]): Json | undefined {
  const reference = own(node, "$ref");
  const target = typeof reference === "string" ? schemaAt(root, reference) : undefined;
  return target === node || followed.includes(target as Json) ? undefined : target;
}
