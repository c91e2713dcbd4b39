/**
 * Does a schema lead back to itself without going deeper into the value? Such a circle would keep the
 * validator going until its stack ends; a tree that refers to itself by its children is fine.
 */
import { isJsonObject, own, type Json, type JsonObject } from "./json";

/** Keywords whose schemas are applied to the very same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

type Resolve = (reference: string) => Json | undefined;

/** `nodes` are all schemas there are: any of them can be where a circle begins. */
export function hasCircle(nodes: readonly JsonObject[], resolve: Resolve): boolean {
  const open = new Set<JsonObject>();
  const done = new Set<JsonObject>();
  const leadsBack = (node: JsonObject): boolean => {
    if (done.has(node)) return false;
    if (open.has(node)) return true;
    open.add(node);
    const found = sameValueSchemas(node, resolve).some(leadsBack);
    open.delete(node);
    done.add(node);
    return found;
  };
  return nodes.some(leadsBack);
}

function sameValueSchemas(node: JsonObject, resolve: Resolve): readonly JsonObject[] {
  const reference = own(node, "$ref");
  const dependent = own(node, "dependentSchemas");
  return [
    ...SAME_VALUE.flatMap((keyword) => own(node, keyword) ?? []),
    ...(isJsonObject(dependent) ? Object.values(dependent) : []),
    ...(typeof reference === "string" ? [resolve(reference)] : []),
  ].filter(isJsonObject);
}
