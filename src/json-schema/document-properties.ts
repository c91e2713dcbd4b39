/** Which fields a schema names for its document, wherever in the schema they stand. */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { schemaAt } from "./schema-pointer";

const PARTS = ["allOf", "anyOf", "oneOf"] as const;
const BRANCHES = ["then", "else"] as const;
/** Say what the document is tested for, not what it holds. */
const TESTS = ["if", "not"] as const;

/**
 * The schemas that speak of the document itself: the root, and what it refers to for the same value;
 * on request also those that only test it.
 */
export function documentNodes(schema: JsonObject, withTests = false): readonly JsonObject[] {
  const branches = withTests ? [...BRANCHES, ...TESTS] : BRANCHES;
  const seen = new Set<JsonObject>();
  const look = (node: Json | undefined): void => {
    if (node === undefined || !isJsonObject(node) || seen.has(node)) return;
    seen.add(node);
    const reference = own(node, "$ref");
    if (typeof reference === "string") look(schemaAt(schema, reference));
    for (const keyword of PARTS) {
      const parts = own(node, keyword);
      if (Array.isArray(parts)) for (const part of parts as readonly Json[]) look(part);
    }
    for (const keyword of branches) look(own(node, keyword));
    const dependent = own(node, "dependentSchemas");
    if (isJsonObject(dependent ?? null)) Object.values(dependent as JsonObject).forEach(look);
  };
  look(schema);
  return [...seen];
}

/** Each field with a schema of its own; one that several parts name comes once for each. */
export const documentProperties = (
  schema: JsonObject,
  withTests = false,
): readonly (readonly [string, Json])[] =>
  documentNodes(schema, withTests).flatMap((node) => {
    const properties = own(node, "properties") ?? null;
    return isJsonObject(properties) ? Object.entries(properties) : [];
  });
