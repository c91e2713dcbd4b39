/**
 * The part of a schema that applies to single values, without the rules that only a complete
 * document can satisfy. It covers the root, its `allOf`, and their references, which all apply to
 * the document.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { schemaAt } from "./schema-pointer";

/** Keywords that apply to the whole document and would reject an incomplete one. */
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

/** The schema without the rules that only a complete document can satisfy. */
export const valuesOnly = (schema: JsonObject): JsonObject => partialNode(schema, schema, []);

/** Names that are required without a condition. */
export const requiredFields = (schema: JsonObject | null): readonly string[] =>
  schema === null ? [] : [...new Set(requiredBy(schema, schema, []))];

/** References are inlined, because the target itself must stay complete for references from inside. */
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

/** Undefined if there is no reference, or it leads nowhere or back to a node on the path. */
function targetOf(root: JsonObject, node: JsonObject, followed: readonly Json[]): Json | undefined {
  const reference = own(node, "$ref");
  const target = typeof reference === "string" ? schemaAt(root, reference) : undefined;
  return target === node || followed.includes(target as Json) ? undefined : target;
}
