/** The fields that a schema names for its document, anywhere in the schema. */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { schemaAt } from "./schema-pointer";

const PARTS = ["allOf", "anyOf", "oneOf"] as const;
const BRANCHES = ["then", "else"] as const;
/** Keywords that only test the document and do not describe it. */
const TESTS = ["if", "not"] as const;

/**
 * The schemas that apply to the document itself: the root, and everything that it applies to the
 * same value. With `withTests`, also those that only test it.
 */
export function documentNodes(schema: JsonObject, withTests = false): readonly JsonObject[] {
  const branches = withTests ? [...BRANCHES, ...TESTS] : BRANCHES;
  const seen = new Set<JsonObject>();
  const visit = (node: Json | undefined): void => {
    if (node === undefined || !isJsonObject(node) || seen.has(node)) return;
    seen.add(node);
    const reference = own(node, "$ref");
    if (typeof reference === "string") visit(schemaAt(schema, reference));
    for (const keyword of PARTS) {
      const parts = own(node, keyword);
      if (Array.isArray(parts)) for (const part of parts as readonly Json[]) visit(part);
    }
    for (const keyword of branches) visit(own(node, keyword));
    const dependent = own(node, "dependentSchemas");
    if (isJsonObject(dependent ?? null)) Object.values(dependent as JsonObject).forEach(visit);
  };
  visit(schema);
  return [...seen];
}

/** Each field with its schema. A field that several parts name is returned once for each. */
export const documentProperties = (
  schema: JsonObject,
  withTests = false,
): readonly (readonly [string, Json])[] =>
  documentNodes(schema, withTests).flatMap((node) => {
    const properties = own(node, "properties") ?? null;
    return isJsonObject(properties) ? Object.entries(properties) : [];
  });
