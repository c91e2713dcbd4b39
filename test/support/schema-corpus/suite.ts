/**
 * Schemas with valid values, read from a checkout of the public JSON Schema test suite. Each is one
 * field of a session, and, if the value is an object, also the whole session.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../../src/domain/json.ts";

export interface Case {
  readonly name: string;
  readonly schema: Json;
  readonly fields: Readonly<Record<string, Json>>;
}

interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly { readonly description: string; readonly data: Json; valid: boolean }[];
}

export function suiteCases(folder: string): readonly Case[] {
  const root = join(folder, "tests/draft2020-12");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort();
  return files.flatMap((file) => {
    const groups = JSON.parse(readFileSync(join(root, file), "utf8")) as readonly Group[];
    return groups.flatMap((group) => casesOf(file, group));
  });
}

function casesOf(file: string, { description, schema, tests }: Group): readonly Case[] {
  const named = (one: string): string => `${file}: ${description}: ${one}`;
  const inField = asField(schema);
  // A null field is absent, so there would be nothing to render.
  const valid = tests.filter(({ valid: isValid, data }) => isValid && data !== null);
  return [
    { name: named("(empty)"), schema: inField, fields: {} },
    ...valid.map((test) => ({
      name: named(test.description),
      schema: inField,
      fields: { value: test.data },
    })),
    ...valid.flatMap(({ data, description: one }) =>
      isObject(data) && isObject(schema) && !Object.values(data as object).includes(null)
        ? [{ name: `${named(one)} (whole)`, schema, fields: data as Record<string, Json> }]
        : [],
    ),
  ];
}

const isObject = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Rewrites references from the root to the schema's new location. */
export const asField = (schema: Json): Json => ({
  type: "object",
  properties: { value: moved(schema) },
});

const HERE = "#/properties/value";

function moved(node: Json): Json {
  if (Array.isArray(node)) return (node as readonly Json[]).map(moved);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node as Record<string, Json>);
  // Below an `$id`, references are relative to it.
  if (entries.some(([key, value]) => key === "$id" && typeof value === "string")) return node;
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string"
        ? value.replace(/^#(?=\/|$)/, HERE)
        : key === "const" || key === "enum"
          ? value
          : moved(value),
    ]),
  );
}
