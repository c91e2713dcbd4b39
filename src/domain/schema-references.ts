/**
 * Where the references of a schema lead: inside it, to a schema, and never back to themselves. Asked
 * of the validator's own table of schemas, so that what passes here cannot throw there.
 */
import { dereference, type Schema } from "@cfworker/json-schema";
import { isJsonObject, own, type Json, type JsonObject } from "./json";
import { valuesOnly } from "./partial-schema";

/** Keywords whose schemas are applied to the very same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

type Lookup = Readonly<Record<string, Json>>;

/** `nodes` are all the schemas inside `schema`, itself among them. */
export function referencesProblem(
  schema: JsonObject,
  nodes: ReadonlySet<JsonObject>,
): string | null {
  const whole = lookupOf(schema);
  const partial = lookupOf(valuesOnly(schema));
  if (whole === null || partial === null)
    return "schema: an $id or id cannot be used as an address";
  for (const node of nodes) {
    const reference = own(node, "$ref");
    if (typeof reference !== "string") continue;
    const target = targetOf(node, whole);
    const isSchema = typeof target === "boolean" || (isJsonObject(target) && nodes.has(target));
    if (!isSchema || targetOf(node, partial) === undefined) {
      return `schema: the $ref ${JSON.stringify(reference)} leads to no schema`;
    }
  }
  return hasCircle(nodes, whole) ? "schema: a $ref leads back to itself" : null;
}

/** Null where the addresses in it are malformed or used twice. */
function lookupOf(schema: JsonObject): Lookup | null {
  try {
    return dereference(schema as Schema) as Lookup;
  } catch {
    return null;
  }
}

/** The validator notes on each node, unseen by JSON, which address its reference means. */
const targetOf = (node: JsonObject, lookup: Lookup): Json | undefined =>
  lookup[String(node["__absolute_ref__"])];

/**
 * A way back to the same schema without going deeper into the value would keep the validator going
 * until its stack ends; a tree that refers to itself by its children is fine.
 */
function hasCircle(nodes: ReadonlySet<JsonObject>, lookup: Lookup): boolean {
  const open = new Set<JsonObject>();
  const done = new Set<JsonObject>();
  const leadsBack = (node: JsonObject): boolean => {
    if (done.has(node)) return false;
    if (open.has(node)) return true;
    open.add(node);
    const found = sameValueSchemas(node, lookup).some(leadsBack);
    open.delete(node);
    done.add(node);
    return found;
  };
  return [...nodes].some(leadsBack);
}

function sameValueSchemas(node: JsonObject, lookup: Lookup): readonly JsonObject[] {
  const dependent = own(node, "dependentSchemas");
  return [
    ...SAME_VALUE.flatMap((keyword) => own(node, keyword) ?? []),
    ...(isJsonObject(dependent) ? Object.values(dependent) : []),
    ...(Object.hasOwn(node, "$ref") ? [targetOf(node, lookup)] : []),
  ].filter(isJsonObject);
}
