/**
 * Validates a value against a JSON Schema (2020-12) in counted work. The schema was checked before
 * (schema-check.ts), so its references resolve and have no cycles.
 */
import { isExhausted, spend } from "./step-budget";
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { matchesPattern } from "./pattern";
import { RULES } from "./schema-rules";
import {
  COST,
  pathSegments,
  ValidationRun,
  type ValuePath,
  type ValueProblem,
} from "./validation-run";

interface ValidationResult {
  readonly problems: readonly ValueProblem[];
  /** Where the budget was exhausted. Then the problems are incomplete. */
  readonly exhaustedAt: readonly string[] | null;
}

/** Keys and indexes that some schema has evaluated; null if no `unevaluated…` keyword needs them. */
type EvaluatedKeys = Set<string> | null;

type Visit<S = Json, V = Json> = (
  run: ValidationRun,
  schema: S,
  value: V,
  at: ValuePath | null,
  known: EvaluatedKeys,
) => boolean;

/** References are resolved in `root`. `schema` may be a part of it. */
export function validateValue(
  root: JsonObject,
  schema: JsonObject,
  value: Json,
  steps: number,
): ValidationResult {
  const run = new ValidationRun(root, steps);
  visit(run, schema, value, null, null);
  const exhaustedAt = run.exhaustedAt === undefined ? [] : pathSegments(run.exhaustedAt);
  return { problems: run.problems, exhaustedAt: isExhausted(run.budget) ? exhaustedAt : null };
}

const visit: Visit = (run, schema, value, at, known) => {
  const isValid = spend(run.budget, COST.visit) && visitSchema(run, schema, value, at, known);
  if (isExhausted(run.budget) && run.exhaustedAt === undefined) run.exhaustedAt = at;
  return isValid;
};

const visitSchema: Visit = (run, schema, value, at, known) => {
  if (schema === false) return run.report(at, "is not allowed here");
  if (!isJsonObject(schema)) return true;
  // Keys evaluated inside count for this schema's own `unevaluated…` keywords and for the enclosing
  // schemas.
  const evaluated: EvaluatedKeys = run.tracksEvaluated ? new Set() : null;
  let isValid = true;
  for (const keyword of run.keysOf(schema)) {
    if (!spend(run.budget, COST.keyword)) return false;
    const rule = RULES.get(keyword);
    const expected = schema[keyword]!;
    if (rule !== undefined) {
      const message = rule(expected, value, run);
      if (message !== null) isValid = run.report(at, message);
    } else if (!visitApplicator(run, schema, keyword, value, at, evaluated)) isValid = false;
  }
  if (isJsonObject(value)) isValid = visitEntries(run, schema, value, at, evaluated) && isValid;
  else if (Array.isArray(value)) isValid = visitItems(run, schema, value, at, evaluated) && isValid;
  if (
    isValid &&
    known !== null &&
    evaluated !== null &&
    spend(run.budget, COST.known * evaluated.size)
  ) {
    for (const key of evaluated) known.add(key);
  }
  return isValid;
};

/** Keywords that apply other schemas to the same value. */
function visitApplicator(
  run: ValidationRun,
  schema: JsonObject,
  keyword: string,
  value: Json,
  at: ValuePath | null,
  known: EvaluatedKeys,
): boolean {
  const expected = schema[keyword]!;
  switch (keyword) {
    case "$ref":
      return visit(run, run.target(expected as string), value, at, known);
    case "allOf":
      return (expected as readonly Json[])
        .map((part) => visit(run, part, value, at, known))
        .every(Boolean);
    case "anyOf":
      return visitChoices(run, expected as readonly Json[], value, at, known, (fits) => fits > 0);
    case "oneOf":
      return visitChoices(run, expected as readonly Json[], value, at, known, (fits) => fits === 1);
    case "not":
      return fitsSilently(run, expected, value, at, null)
        ? run.report(at, "has a value that is not allowed")
        : true;
    case "if": {
      const next = fitsSilently(run, expected, value, at, known) ? "then" : "else";
      return visit(run, own(schema, next) ?? true, value, at, known);
    }
    default:
      return true;
  }
}

/** Whether the value is valid, without reporting problems. */
const fitsSilently: Visit = (run, schema, value, at, known) => {
  const before = run.problems.length;
  const isValid = visit(run, schema, value, at, known);
  run.problems.length = before;
  return isValid;
};

function visitChoices(
  run: ValidationRun,
  choices: readonly Json[],
  value: Json,
  at: ValuePath | null,
  known: EvaluatedKeys,
  isEnough: (fits: number) => boolean,
): boolean {
  const before = run.problems.length;
  const fits = choices.filter((choice) => visit(run, choice, value, at, known)).length;
  if (isEnough(fits)) {
    run.problems.length = before;
    return true;
  }
  if (fits > 0) run.problems.length = before;
  const message = fits > 0 ? "fits more than one of the choices" : "fits none of the choices";
  // Only if the choices themselves reported no problem.
  if (run.problems.length === before) run.report(at, message);
  return false;
}

const visitEntries: Visit<JsonObject, JsonObject> = (run, schema, value, at, known) => {
  let isValid = true;
  const visitEntry = (key: string, part: Json): void => {
    if (known !== null && spend(run.budget, COST.known)) known.add(key);
    if (!visit(run, part, value[key]!, { parent: at, key }, null)) isValid = false;
  };
  for (const name of (schema["required"] ?? []) as readonly string[]) {
    if (!spend(run.budget, COST.entry)) return false;
    if (!Object.hasOwn(value, name)) isValid = run.report(at, "is required", name);
  }
  const nameSchema = schema["propertyNames"];
  for (const key of nameSchema === undefined ? [] : run.keysOf(value)) {
    if (!fitsSilently(run, nameSchema!, key, { parent: at, key }, null)) {
      isValid = run.report({ parent: at, key }, "has a name that is not allowed");
    }
    if (isExhausted(run.budget)) return false;
  }
  const dependentRequired = schema["dependentRequired"] as JsonObject | undefined;
  for (const name of run.keysOf(dependentRequired)) {
    if (!spend(run.budget, COST.entry)) return false;
    for (const other of Object.hasOwn(value, name)
      ? (dependentRequired![name] as readonly string[])
      : []) {
      if (!spend(run.budget, COST.entry)) return false;
      if (!Object.hasOwn(value, other)) {
        isValid = run.report(at, `is required together with ${name}`, other);
      }
    }
  }
  const dependent = schema["dependentSchemas"] as JsonObject | undefined;
  for (const name of run.keysOf(dependent)) {
    if (!spend(run.budget, COST.entry)) return false;
    if (Object.hasOwn(value, name) && !visit(run, dependent![name]!, value, at, known)) {
      isValid = false;
    }
  }
  if (!ENTRY_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return isValid;
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const patterns = schema["patternProperties"] as JsonObject | undefined;
  const sources = run.keysOf(patterns);
  const others = schema["additionalProperties"];
  const rest = schema["unevaluatedProperties"];
  for (const key of run.keysOf(value)) {
    if (!spend(run.budget, COST.entry)) return false;
    const part = own(properties, key);
    let isMatched = part !== undefined;
    if (part !== undefined) visitEntry(key, part);
    for (const source of sources) {
      if (isExhausted(run.budget)) return false;
      if (!matchesPattern(run.pattern(source), key, run.budget)) continue;
      isMatched = true;
      visitEntry(key, patterns![source]!);
    }
    if (!isMatched && others !== undefined) visitEntry(key, others);
    if (rest !== undefined && !known!.has(key)) visitEntry(key, rest);
  }
  return isValid;
};

/** Without one of these keywords, the entries or items of a value need not be visited. */
const ENTRY_KEYWORDS = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
] as const;
const ITEM_KEYWORDS = ["prefixItems", "items", "contains", "unevaluatedItems"] as const;

const visitItems: Visit<JsonObject, readonly Json[]> = (run, schema, value, at, known) => {
  if (!ITEM_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return true;
  let isValid = true;
  const prefix = (schema["prefixItems"] ?? []) as readonly Json[];
  const items = schema["items"];
  const contains = schema["contains"];
  const rest = schema["unevaluatedItems"];
  let contained = 0;
  for (const [index, item] of value.entries()) {
    if (!spend(run.budget, known === null ? COST.entry : COST.entry + COST.known)) return false;
    const key = String(index);
    const path = { parent: at, key };
    const part = index < prefix.length ? prefix[index] : items;
    if (part !== undefined) {
      known?.add(key);
      if (!visit(run, part, item, path, null)) isValid = false;
    }
    if (contains !== undefined && fitsSilently(run, contains, item, path, null)) {
      contained += 1;
      known?.add(key);
    }
    if (rest !== undefined && !known!.has(key)) {
      known!.add(key);
      if (!visit(run, rest, item, path, null)) isValid = false;
    }
  }
  if (contains === undefined) return isValid;
  const [min, max] = [schema["minContains"] ?? 1, schema["maxContains"] ?? Infinity] as number[];
  if (contained < min!) return run.report(at, `needs at least ${min} items of a kind`);
  if (contained > max!) return run.report(at, `may have at most ${max} items of a kind`);
  return isValid;
};
