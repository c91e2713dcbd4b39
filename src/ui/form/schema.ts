/** Reading a schema for a form: references followed, parts of `allOf` put together, simple questions. */
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { schemaAt } from "../../json-schema/schema-pointer";
import type { Build } from "./build";
import type { Option } from "./node";

/** References that lead on to references; more is no schema anybody reads. */
const HOPS = 12;

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

/** What a node comes to, with references and `allOf` written out. Null where it leads round in a circle. */
export function resolved(root: JsonObject, raw: Json | undefined, hops = HOPS): JsonObject | null {
  const node = objectOf(raw);
  if (node === null) return raw === true || raw === undefined ? {} : null;
  if (hops === 0) return null;
  const { $ref: reference, allOf: parts, ...rest } = node;
  let merged: JsonObject = {};
  if (typeof reference === "string") {
    const target = resolved(root, schemaAt(root, reference), hops - 1);
    if (target === null) return null;
    merged = target;
  }
  for (const part of listOf(parts)) {
    const one = resolved(root, part, hops - 1);
    if (one === null) return null;
    merged = mergedWith(merged, one);
  }
  return mergedWith(merged, rest);
}

/** Two nodes that both hold. What cannot be said in one stands as a part that only validation reads. */
export function mergedWith(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = own(a, key);
    if (before === undefined) merged[key] = value;
    else if (key === "properties" || key === "$defs" || key === "dependentSchemas") {
      merged[key] = mergedProperties(before, value);
    } else if (key === "required") {
      merged[key] = [...new Set([...listOf(before), ...listOf(value)])];
    } else merged[key] = value;
  }
  return merged;
}

function mergedProperties(a: Json, b: Json): JsonObject {
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
const SAYING = ["type", "properties", "$ref", "const", "enum", "items", "prefixItems", "allOf"];

export const saysWhat = (raw: Json): boolean => {
  const node = objectOf(raw);
  return node !== null && SAYING.some((key) => Object.hasOwn(node, key));
};

export const isNull = (raw: Json): boolean => {
  const node = objectOf(raw);
  return node !== null && (own(node, "type") === "null" || own(node, "const") === null);
};

/** A select of more than this is nothing anybody goes through. */
const MOST = 500;

/** Null where it is no choice. */
export function choiceOptions(
  { root }: Pick<Build, "root">,
  node: JsonObject,
): readonly Option[] | null {
  const listed = own(node, "enum");
  if (Array.isArray(listed)) {
    const values = (listed as readonly Json[]).filter((value) => value !== null);
    const isShort = values.length > 0 && values.length <= MOST;
    return isShort ? values.map((value) => ({ value, label: nameOf(value), help: null })) : null;
  }
  const given = listOf(own(node, "oneOf") ?? own(node, "anyOf")).filter((one) => !isNull(one));
  if (given.length === 0 || given.length > MOST) return null;
  const options = given.flatMap((raw): readonly Option[] => {
    const one = objectOf(raw) === null ? null : resolved(root, raw);
    const value = one === null ? undefined : own(one, "const");
    if (one === null || value === undefined || value === null) return [];
    return [
      { value, label: textOf(one, "title") ?? nameOf(value), help: textOf(one, "description") },
    ];
  });
  return options.length === given.length ? options : null;
}

const nameOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
