/** Reads a schema for a form: resolves references, merges `allOf`, and answers simple questions. */
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { stepBudget, spend, type StepBudget } from "../../json-schema/step-budget";
import { schemaAt } from "../../json-schema/schema-pointer";
import type { BuildContext } from "./build";
import type { Option } from "./node";

/** The longest chain of references. No real schema needs more. */
const MAX_HOPS = 12;

/** Steps that copying one name costs. */
const STEPS_PER_COPIED_NAME = 50;

export const objectOf = (value: Json | undefined): JsonObject | null =>
  value !== undefined && isJsonObject(value) ? value : null;

export function textOf(node: JsonObject, key: string): string | null {
  const text = own(node, key);
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

export function numberOf(node: JsonObject, key: string): number | undefined {
  const number = own(node, key);
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

interface SchemaCache {
  readonly effort: StepBudget;
  readonly resolvedNodes: Map<JsonObject, JsonObject | null>;
}

/** By schema object, which is new for every request. All reads for one page share its effort. */
const cacheByRoot = new WeakMap<JsonObject, SchemaCache>();

function cacheOf(root: JsonObject): SchemaCache {
  const cache = cacheByRoot.get(root) ?? {
    effort: stepBudget(LIMITS.validationSteps),
    resolvedNodes: new Map(),
  };
  cacheByRoot.set(root, cache);
  return cache;
}

/** False if the schema has used up its steps for this page. The rest becomes a JSON box. */
export const spendOnSchema = (root: JsonObject, steps: number): boolean =>
  spend(cacheOf(root).effort, steps);

/** Names that are copied when a node is merged with another. */
const widthOf = (node: JsonObject): number =>
  ["properties", "$defs", "dependentSchemas", "required"].reduce(
    (sum, key) => sum + Object.keys((own(node, key) ?? {}) as JsonObject).length,
    Object.keys(node).length,
  );

/** A node with its references and `allOf` resolved. Null if they form a cycle or need too many steps. */
export function resolveSchema(root: JsonObject, raw: Json | undefined): JsonObject | null {
  const node = objectOf(raw);
  const { resolvedNodes } = cacheOf(root);
  const cached = node === null ? undefined : resolvedNodes.get(node);
  if (cached !== undefined) return cached;
  const found = resolveReferences(root, raw, MAX_HOPS);
  if (node !== null) resolvedNodes.set(node, found);
  return found;
}

function resolveReferences(
  root: JsonObject,
  raw: Json | undefined,
  hops: number,
): JsonObject | null {
  const node = objectOf(raw);
  if (node === null) return raw === true || raw === undefined ? {} : null;
  if (hops === 0) return null;
  const { $ref: reference, allOf: parts, ...rest } = node;
  let merged: JsonObject = {};
  if (typeof reference === "string") {
    const target = resolveReferences(root, schemaAt(root, reference), hops - 1);
    if (target === null) return null;
    merged = target;
  }
  for (const part of listOf(parts)) {
    const one = resolveReferences(root, part, hops - 1);
    if (
      one === null ||
      !spendOnSchema(root, STEPS_PER_COPIED_NAME * (widthOf(merged) + widthOf(one)))
    )
      return null;
    merged = mergeSchemas(merged, one);
  }
  if (!spendOnSchema(root, STEPS_PER_COPIED_NAME * (widthOf(merged) + widthOf(rest)))) return null;
  return mergeSchemas(merged, rest);
}

/** Merges two nodes. Properties of both become an `allOf`; for other keywords the second wins. */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = own(a, key);
    if (before === undefined) merged[key] = value;
    else if (key === "properties" || key === "$defs" || key === "dependentSchemas") {
      merged[key] = mergeProperties(before, value);
    } else if (key === "required") {
      merged[key] = [...new Set([...listOf(before), ...listOf(value)])];
    } else merged[key] = value;
  }
  return merged;
}

function mergeProperties(a: Json, b: Json): JsonObject {
  const first = objectOf(a) ?? {};
  const second = objectOf(b) ?? {};
  const both = Object.keys(second).filter((key) => Object.hasOwn(first, key));
  const joined = both.map((key) => [key, { allOf: [first[key] ?? true, second[key] ?? true] }]);
  return { ...first, ...second, ...(Object.fromEntries(joined) as JsonObject) };
}

/** The types that a node allows, without null. */
export function typesOf(node: JsonObject): readonly string[] {
  const type = own(node, "type");
  const types = typeof type === "string" ? [type] : listOf(type).map(String);
  return types.filter((one) => one !== "null");
}

export const requiredOf = (node: JsonObject): readonly string[] =>
  listOf(own(node, "required")).filter((name): name is string => typeof name === "string");

/** `firstName` and `first_name` become "First name". */
export function labelFor(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .split(" ")
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(" ");
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The hints for forms, which are not part of JSON Schema. */
export const hintsOf = (node: JsonObject): JsonObject => objectOf(own(node, "x-baton")) ?? {};

/** Keywords that describe a value. An option without any of them only adds a rule. */
const TYPE_KEYWORDS = [
  "type",
  "properties",
  "$ref",
  "const",
  "enum",
  "items",
  "prefixItems",
  "allOf",
];

export const describesType = (raw: Json): boolean => {
  const node = objectOf(raw);
  return node !== null && TYPE_KEYWORDS.some((key) => Object.hasOwn(node, key));
};

export const isNull = (raw: Json): boolean => {
  const node = objectOf(raw);
  return node !== null && (own(node, "type") === "null" || own(node, "const") === null);
};

/** A longer select list is not usable. */
const MAX_OPTIONS = 500;

/** Null if the node is not a choice. */
export function choiceOptions(
  { root }: Pick<BuildContext, "root">,
  node: JsonObject,
): readonly Option[] | null {
  const listed = own(node, "enum");
  if (Array.isArray(listed)) {
    const values = (listed as readonly Json[]).filter((value) => value !== null);
    const isShort = values.length > 0 && values.length <= MAX_OPTIONS;
    return isShort
      ? values.map((value) => ({ value, label: valueLabel(value), help: null }))
      : null;
  }
  const alternatives = listOf(own(node, "oneOf") ?? own(node, "anyOf")).filter(
    (one) => !isNull(one),
  );
  if (alternatives.length === 0 || alternatives.length > MAX_OPTIONS) return null;
  const options = alternatives.flatMap((raw): readonly Option[] => {
    const one = objectOf(raw) === null ? null : resolveSchema(root, raw);
    const value = one === null ? undefined : own(one, "const");
    if (one === null || value === undefined || value === null) return [];
    return [
      { value, label: textOf(one, "title") ?? valueLabel(value), help: textOf(one, "description") },
    ];
  });
  return options.length === alternatives.length ? options : null;
}

const valueLabel = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value);
