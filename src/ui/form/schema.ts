/** Reading a schema for a form: references followed, parts of `allOf` put together, simple questions. */
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { stepBudget, spend, type StepBudget } from "../../json-schema/step-budget";
import { schemaAt } from "../../json-schema/schema-pointer";
import type { BuildContext } from "./build";
import type { Option } from "./node";

/** References that lead on to references; more is no schema anybody reads. */
const MAX_HOPS = 12;

/** Steps for one name that is copied. */
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

/** By schema, which comes anew with every request: all that is read of it for a page spends together. */
const cacheByRoot = new WeakMap<JsonObject, SchemaCache>();

function cacheOf(root: JsonObject): SchemaCache {
  const reading = cacheByRoot.get(root) ?? {
    effort: stepBudget(LIMITS.validationSteps),
    resolvedNodes: new Map(),
  };
  cacheByRoot.set(root, reading);
  return reading;
}

/** False once a schema has been read for as long as a page may: what is left is a box for JSON. */
export const spendOnSchema = (root: JsonObject, steps: number): boolean =>
  spend(cacheOf(root).effort, steps);

/** Names that are copied where a node is put together with another. */
const widthOf = (node: JsonObject): number =>
  ["properties", "$defs", "dependentSchemas", "required"].reduce(
    (sum, key) => sum + Object.keys((own(node, key) ?? {}) as JsonObject).length,
    Object.keys(node).length,
  );

/** What a node comes to, with references and `allOf` written out. Null where it leads round in a circle. */
export function resolveSchema(root: JsonObject, raw: Json | undefined): JsonObject | null {
  const node = objectOf(raw);
  const { resolvedNodes } = cacheOf(root);
  const before = node === null ? undefined : resolvedNodes.get(node);
  if (before !== undefined) return before;
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

/** Two nodes that both hold. What cannot be said in one stands as a part that only validation reads. */
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

/** The types a node allows, without null. */
export function typesOf(node: JsonObject): readonly string[] {
  const type = own(node, "type");
  const types = typeof type === "string" ? [type] : listOf(type).map(String);
  return types.filter((one) => one !== "null");
}

export const requiredOf = (node: JsonObject): readonly string[] =>
  listOf(own(node, "required")).filter((name): name is string => typeof name === "string");

/** `firstName` and `first_name` as people write it. */
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

/** What a schema says for forms beside JSON Schema's own words. */
export const hintsOf = (node: JsonObject): JsonObject => objectOf(own(node, "x-baton")) ?? {};

/** Words that say what a value is; without one of them an option only sets a rule. */
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

/** A select of more than this is nothing anybody goes through. */
const MAX_OPTIONS = 500;

/** Null where it is no choice. */
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
  const given = listOf(own(node, "oneOf") ?? own(node, "anyOf")).filter((one) => !isNull(one));
  if (given.length === 0 || given.length > MAX_OPTIONS) return null;
  const options = given.flatMap((raw): readonly Option[] => {
    const one = objectOf(raw) === null ? null : resolveSchema(root, raw);
    const value = one === null ? undefined : own(one, "const");
    if (one === null || value === undefined || value === null) return [];
    return [
      { value, label: textOf(one, "title") ?? valueLabel(value), help: textOf(one, "description") },
    ];
  });
  return options.length === given.length ? options : null;
}

const valueLabel = (value: Json): string =>
  typeof value === "string" ? value : JSON.stringify(value);
