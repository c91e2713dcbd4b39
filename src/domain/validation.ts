/**
 * Fields against the session's JSON Schema (2020-12), without eval. Setting checks each given value
 * on its own, missing ones being fine; submitting checks the whole.
 */
import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import type { FieldProblem } from "./failure";
import { isJsonObject, type Json, type JsonObject } from "./json";
import { requiredFields, valuesOnly } from "./partial-schema";

type Fields = Readonly<Record<string, Json>>;

export const missingFields = (schema: JsonObject | null, fields: Fields): readonly string[] =>
  requiredFields(schema).filter((name) => !Object.hasOwn(fields, name));

/** Problems with the given values, one entry per field. */
export const checkValues = (schema: JsonObject | null, values: Fields): readonly FieldProblem[] =>
  schema === null ? [] : check(valuesOnly(schema), values);

/** Problems with the document as a whole, one entry per field. */
export function checkWhole(schema: JsonObject | null, fields: Fields): readonly FieldProblem[] {
  if (schema === null) return [];
  const missing = missingFields(schema, fields).map(missingProblem);
  const named = new Set(missing.map(({ field }) => field));
  return [...missing, ...check(schema, fields).filter(({ field }) => !named.has(field))];
}

const missingProblem = (field: string): FieldProblem => ({
  field,
  problem: "missing",
  message: "is required",
});

function check(schema: JsonObject, fields: Fields): readonly FieldProblem[] {
  const validator = new Validator(schema as Schema, "2020-12", false);
  const { valid, errors } = validator.validate(withoutPrototype(fields));
  if (valid) return [];
  const problems = new Map<string, FieldProblem>();
  const depths = new Map<string, number>();
  for (const error of errors) {
    const problem = problemOf(error);
    if (problem === null) continue;
    const { field } = problem;
    const depth = error.instanceLocation.split("/").length;
    const known = depths.get(field) ?? 0;
    // The deepest unit says most exactly what is wrong. A known field that does not fit is not
    // counted as known where no others are allowed, so that complaint comes second.
    if (depth < known || (depth === known && error.keyword === "false")) continue;
    problems.set(field, problem);
    depths.set(field, depth);
  }
  // A rule about the document itself (anyOf, minProperties) has no field to stand beside.
  return problems.size > 0
    ? [...problems.values()]
    : [
        {
          field: "",
          problem: "invalid",
          message: errors.at(-1)?.error ?? "does not fit the schema",
        },
      ];
}

/** The validator looks with `in`, which would find an inherited `constructor` where none is set. */
function withoutPrototype(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPrototype);
  if (!isJsonObject(value)) return value;
  const copy = Object.create(null) as Record<string, Json>;
  for (const [name, entry] of Object.entries(value)) copy[name] = withoutPrototype(entry);
  return copy;
}

const MISSING = /required property "(.*)"/s;

function problemOf(error: OutputUnit): FieldProblem | null {
  const [name, ...inner] = pointerOf(error.instanceLocation);
  if (name === undefined) {
    const missing = error.keyword === "required" ? MISSING.exec(error.error)?.[1] : undefined;
    return missing === undefined ? null : missingProblem(missing);
  }
  const message = error.keyword === "false" ? "is not allowed here" : error.error;
  const where = inner.length > 0 ? `${inner.join(".")}: ` : "";
  return { field: name, problem: "invalid", message: where + message };
}

const pointerOf = (location: string): readonly string[] =>
  location
    .slice(1)
    .split("/")
    .slice(1)
    .map((part) => decodeURI(part).replaceAll("~1", "/").replaceAll("~0", "~"));
