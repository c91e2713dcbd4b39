/**
 * From what a form posted to values. A person's save touches only what they changed: each form
 * carries what it showed (`base`), and what equals it was not touched.
 */
import { canonicalJson, isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import type { FieldSpec } from "./fields";

/** The texts of the inputs, by name. */
export type Typed = ReadonlyMap<string, string>;
type Fields = Readonly<Record<string, Json>>;

/** Rows of a list that a form may hold. */
const MAX_ITEMS = 100;

function valueOf(spec: FieldSpec, typed: Typed): Json | undefined {
  switch (spec.kind) {
    case "object":
      return objectOf(spec, typed);
    case "array":
      return arrayOf(spec, typed);
    case "file":
      return undefined;
    default:
      return scalarOf(spec, typed.get(spec.name)?.replaceAll("\r\n", "\n"));
  }
}

function scalarOf(spec: FieldSpec, text: string | undefined): Json | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  switch (spec.kind) {
    case "number":
    case "integer": {
      const number = Number(text);
      // What is no number stays as it was typed: the schema then says what is wrong with it.
      return Number.isFinite(number) ? number : text;
    }
    case "boolean":
      return text === "true";
    case "enum":
      return spec.options.find((option) => canonicalJson(option) === text) ?? text;
    case "date-time":
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text;
    case "json":
      return parsedOr(text);
    default:
      return text;
  }
}

function parsedOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function objectOf(spec: FieldSpec, typed: Typed): Json | undefined {
  const entries = spec.children.flatMap((child) => {
    const value = valueOf(child, typed);
    return value === undefined ? [] : [[child.key, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function arrayOf(spec: FieldSpec, typed: Typed): Json | undefined {
  const { item } = spec;
  if (item === null) return undefined;
  const items: Json[] = [];
  for (let index = 0; index < MAX_ITEMS; index++) {
    const value = valueOf(itemAt(item, index), typed);
    if (value !== undefined) items.push(value);
  }
  return items.length === 0 ? undefined : items;
}

/** The item's inputs carry their place in the list. */
export const itemAt = (item: FieldSpec, index: number): FieldSpec => ({
  ...item,
  name: item.name.replace("#", String(index)).replace("%23", String(index)),
  children: item.children.map((child) => itemAt(child, index)),
});

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);

interface Changes {
  /** A null removes. */
  readonly fields: Fields;
  /** Changed here and by somebody else since the form was drawn. */
  readonly conflicts: readonly string[];
}

/** What the person changed, and where somebody else did too. */
export function changesIn(
  specs: readonly FieldSpec[],
  typed: Typed,
  base: JsonObject,
  current: Fields,
): Changes {
  const fields: Record<string, Json> = {};
  const conflicts: string[] = [];
  for (const spec of specs) {
    // A form of before this field existed says nothing about it.
    if (spec.kind === "file" || !wasShown(spec, typed)) continue;
    if (typed.get(`choice/${spec.name}`) === "theirs") continue;
    const value = valueOf(spec, typed);
    const shown = own(base, spec.key);
    const now = own(current, spec.key);
    if (isSame(value, shown) || isSame(value, now)) continue;
    if (!isSame(shown, now)) conflicts.push(spec.key);
    fields[spec.key] = value ?? null;
  }
  return { fields, conflicts };
}

/** Only what the person changed: elsewhere a form drawn again shows what is there now. */
export function typedByHand(specs: readonly FieldSpec[], typed: Typed): Typed {
  const base = baseIn(typed);
  const untouched = specs.filter((spec) => isSame(valueOf(spec, typed), own(base, spec.key)));
  return new Map(
    [...typed].filter(
      ([name]) => !untouched.some((spec) => name === spec.name || name.startsWith(`${spec.name}/`)),
    ),
  );
}

const wasShown = (spec: FieldSpec, typed: Typed): boolean =>
  typed.has(spec.name) || [...typed.keys()].some((name) => name.startsWith(`${spec.name}/`));

export function baseIn(typed: Typed): JsonObject {
  const value = parsedOr(typed.get("base") ?? "{}");
  return isJsonObject(value) ? value : {};
}
