/**
 * Validates fields against the session's JSON Schema (2020-12), without eval. Setting fields checks
 * each given value alone, and missing fields are allowed. Submitting checks the whole document.
 */
import type { FieldProblem } from "../failure";
import { isJsonObject, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import { documentNodes, documentProperties } from "../../json-schema/document-properties";
import { requiredFields, valuesOnly } from "../../json-schema/partial-schema";
import type { ValueProblem } from "../../json-schema/validation-run";
import { validateValue } from "../../json-schema/schema-validator";

type Fields = Readonly<Record<string, Json>>;

export const missingFields = (schema: JsonObject | null, fields: Fields): readonly string[] =>
  requiredFields(schema).filter((name) => !Object.hasOwn(fields, name));

const OTHER_PROPERTY_KEYWORDS = [
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
];

/**
 * Names that JSON Schema accepts although no property has them. Empty if the schema describes
 * further properties.
 */
export function unknownFields(schema: JsonObject, names: readonly string[]) {
  const known = [...new Set(documentProperties(schema, true).map(([name]) => name))];
  const describesOthers = documentNodes(schema).some((node) =>
    OTHER_PROPERTY_KEYWORDS.some((keyword) => isJsonObject(own(node, keyword) ?? null)),
  );
  const isClosed = known.length > 0 && !describesOthers;
  const unknown = isClosed ? names.filter((name) => !known.includes(name)) : [];
  return { unknown: [...new Set(unknown)], known };
}

/** Problems with the given values, one entry per field. */
export const checkValues = (schema: JsonObject | null, values: Fields): readonly FieldProblem[] =>
  schema === null ? [] : check(schema, valuesOnly(schema), values);

/** Problems with the document as a whole, one entry per field. */
export function checkDocument(schema: JsonObject | null, fields: Fields): readonly FieldProblem[] {
  if (schema === null) return [];
  const missing = missingFields(schema, fields).map(missingProblem);
  const named = new Set(missing.map(({ field }) => field));
  return [...missing, ...check(schema, schema, fields).filter(({ field }) => !named.has(field))];
}

const missingProblem = (field: string): FieldProblem => ({
  field,
  problem: "missing",
  message: "is required",
});

function check(root: JsonObject, schema: JsonObject, fields: Fields): readonly FieldProblem[] {
  const { problems, exhaustedAt } = validateValue(root, schema, fields, LIMITS.validationSteps);
  if (exhaustedAt !== null) return [tooMuchWork(exhaustedAt[0])];
  const named = new Map<string, ValueProblem>();
  for (const problem of problems) {
    const [field] = problem.path;
    if (field === undefined) continue;
    const known = named.get(field);
    // The deepest problem is the most precise one.
    if (known === undefined || problem.path.length > known.path.length) named.set(field, problem);
  }
  if (named.size > 0) return [...named].map(([field, problem]) => fieldProblem(field, problem));
  // A rule about the document itself (anyOf, minProperties) belongs to no field.
  return problems
    .slice(0, 1)
    .map(({ message }) => ({ field: "", problem: "invalid", message: `the fields: ${message}` }));
}

const tooMuchWork = (field = ""): FieldProblem => ({
  field,
  problem: "invalid",
  message: `takes more than ${LIMITS.validationSteps} steps to check against the schema; send shorter texts or fewer items, or create a session with a simpler schema`,
});

function fieldProblem(field: string, { path, message, isMissing }: ValueProblem): FieldProblem {
  if (path.length === 1) return { field, problem: isMissing ? "missing" : "invalid", message };
  return { field, problem: "invalid", message: `${path.slice(1).join(".")}: ${message}` };
}
