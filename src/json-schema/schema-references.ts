/**
 * Checks the references of a schema: they stay inside, point to a schema and never to themselves.
 * Also limits the total cost with all references followed.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { valuesOnly } from "./partial-schema";
import { schemaAt } from "./schema-pointer";

/** Keywords whose schemas apply to the same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

/** `nodes` are all schemas inside `root`, including itself, with their paths. */
export function referencesProblem(
  root: JsonObject,
  nodes: ReadonlyMap<JsonObject, string>,
): string | null {
  for (const [node, path] of nodes) {
    const reference = own(node, "$ref");
    if (typeof reference !== "string") continue;
    const target = schemaAt(root, reference);
    if (typeof target !== "boolean" && !(isJsonObject(target) && nodes.has(target))) {
      return `${path}: the $ref ${JSON.stringify(reference)} does not point to a schema`;
    }
  }
  return costProblem(root, nodes) ?? partialReferenceProblem(root, nodes);
}

/**
 * The partial schema for incomplete documents omits rules of the whole document, so no reference
 * may point into one.
 */
function partialReferenceProblem(
  root: JsonObject,
  nodes: ReadonlyMap<JsonObject, string>,
): string | null {
  const partial = valuesOnly(root);
  for (const [node, path] of nodes) {
    const reference = own(node, "$ref");
    if (typeof reference === "string" && schemaAt(partial, reference) === undefined) {
      return `${path}: the $ref ${JSON.stringify(reference)} points into a rule of the whole document; move it to $defs`;
    }
  }
  return null;
}

interface Cost {
  /** The number of keywords and names that are checked for one value. */
  readonly weight: number;
  /** The depth of nested or referenced schemas. */
  readonly chain: number;
}

/**
 * Computes the cost of each schema once, from the inside out, however often it is referenced. A
 * cycle that stays at the same value would never end. A tree that refers to itself through its
 * children is allowed.
 */
function costProblem(root: JsonObject, nodes: ReadonlyMap<JsonObject, string>): string | null {
  const costs = new Map<JsonObject, Cost | "open">();
  const costOf = (node: JsonObject): Cost | string => {
    const known = costs.get(node);
    if (known === "open") return `${nodes.get(node) ?? "schema"}: a $ref refers to itself`;
    if (known !== undefined) return known;
    costs.set(node, "open");
    let weight = ownWeight(node);
    let chain = 1;
    for (const part of sameValueSchemas(node, root)) {
      const cost = costOf(part);
      if (typeof cost === "string") return cost;
      weight += cost.weight;
      chain = Math.max(chain, cost.chain + 1);
    }
    const path = nodes.get(node) ?? "schema";
    if (chain > LIMITS.schemaChain) {
      return `${path}: more than ${LIMITS.schemaChain} nested schemas apply to the same value; refer to the last one directly`;
    }
    if (weight > LIMITS.schemaWeight) {
      return `${path}: more than ${LIMITS.schemaWeight} keywords apply to one value, with references followed; refer to a schema once, or use separate fields`;
    }
    const cost = { weight, chain };
    costs.set(node, cost);
    return cost;
  };
  for (const node of nodes.keys()) {
    const cost = costOf(node);
    if (typeof cost === "string") return cost;
  }
  return null;
}

const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);

function ownWeight(node: JsonObject): number {
  const together = own(node, "dependentRequired");
  const names = isJsonObject(together) ? Object.values(together) : [];
  return (
    1 +
    Object.keys(node).length +
    lengthOf(own(node, "required")) +
    names.reduce<number>((sum, list) => sum + 1 + lengthOf(list), 0)
  );
}

function sameValueSchemas(node: JsonObject, root: JsonObject): readonly JsonObject[] {
  const dependent = own(node, "dependentSchemas");
  const reference = own(node, "$ref");
  return [
    ...SAME_VALUE.flatMap((keyword) => own(node, keyword) ?? []),
    ...(isJsonObject(dependent) ? Object.values(dependent) : []),
    ...(typeof reference === "string" ? [schemaAt(root, reference)] : []),
  ].filter(isJsonObject);
}
