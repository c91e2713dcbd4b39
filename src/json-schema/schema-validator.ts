/**
 * A value against a JSON Schema (2020-12): goes through both together, in work that is counted. The
 * schema was checked before (schema-check.ts): its references resolve and lead in no circle.
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
  /** Where the work ended before it was done; what the problems say is then not the whole. */
  readonly exhaustedAt: readonly string[] | null;
}

/** Names and numbers of the parts that some schema has spoken of; null where nobody asks. */
type EvaluatedKeys = Set<string> | null;

type Visit<S = Json, V = Json> = (
  run: ValidationRun,
  schema: S,
  value: V,
  at: ValuePath | null,
  known: EvaluatedKeys,
) => boolean;

/** `root` is what references are followed in: `schema` may be a part of it. */
export function validateValue(
  root: JsonObject,
  schema: JsonObject,
  value: Json,
  steps: number,
): ValidationResult {
  const run = new ValidationRun(root, steps);
  visit(run, schema, value, null, null);
  const endedAt = run.exhaustedAt === undefined ? [] : pathSegments(run.exhaustedAt);
  return { problems: run.problems, exhaustedAt: isExhausted(run.budget) ? endedAt : null };
}

const visit: Visit = (run, schema, value, at, known) => {
  const isFine = spend(run.budget, COST.visit) && visitSchema(run, schema, value, at, known);
  if (isExhausted(run.budget) && run.exhaustedAt === undefined) run.exhaustedAt = at;
  return isFine;
};

const visitSchema: Visit = (run, schema, value, at, known) => {
  if (schema === false) return run.report(at, "is not allowed here");
  if (!isJsonObject(schema)) return true;
  // What is evaluated inside counts for this schema's own `unevaluated…` and for those around it.
  const here: EvaluatedKeys = run.tracksEvaluated ? new Set() : null;
  let isFine = true;
  for (const keyword of run.keysOf(schema)) {
    if (!spend(run.budget, COST.keyword)) return false;
    const rule = RULES.get(keyword);
    const wanted = schema[keyword]!;
    if (rule !== undefined) {
      const message = rule(wanted, value, run);
      if (message !== null) isFine = run.report(at, message);
    } else if (!visitApplicator(run, schema, keyword, value, at, here)) isFine = false;
  }
  if (isJsonObject(value)) isFine = visitEntries(run, schema, value, at, here) && isFine;
  else if (Array.isArray(value)) isFine = visitItems(run, schema, value, at, here) && isFine;
  if (isFine && known !== null && here !== null && spend(run.budget, COST.known * here.size)) {
    for (const key of here) known.add(key);
  }
  return isFine;
};

/** Keywords that hold other schemas against the very same value. */
function visitApplicator(
  run: ValidationRun,
  schema: JsonObject,
  keyword: string,
  value: Json,
  at: ValuePath | null,
  known: EvaluatedKeys,
): boolean {
  const wanted = schema[keyword]!;
  switch (keyword) {
    case "$ref":
      return visit(run, run.target(wanted as string), value, at, known);
    case "allOf":
      return (wanted as readonly Json[])
        .map((part) => visit(run, part, value, at, known))
        .every(Boolean);
    case "anyOf":
      return visitChoices(run, wanted as readonly Json[], value, at, known, (fits) => fits > 0);
    case "oneOf":
      return visitChoices(run, wanted as readonly Json[], value, at, known, (fits) => fits === 1);
    case "not":
      return fitsSilently(run, wanted, value, at, null)
        ? run.report(at, "has a value that is not allowed")
        : true;
    case "if": {
      const next = fitsSilently(run, wanted, value, at, known) ? "then" : "else";
      return visit(run, own(schema, next) ?? true, value, at, known);
    }
    default:
      return true;
  }
}

/** Whether it fits, without a word about why not. */
const fitsSilently: Visit = (run, schema, value, at, known) => {
  const before = run.problems.length;
  const isFine = visit(run, schema, value, at, known);
  run.problems.length = before;
  return isFine;
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
  // Behind the reasons of each choice, unless there are none to give.
  if (run.problems.length === before) run.report(at, message);
  return false;
}

const visitEntries: Visit<JsonObject, JsonObject> = (run, schema, value, at, known) => {
  let isFine = true;
  const under = (key: string, part: Json): void => {
    if (known !== null && spend(run.budget, COST.known)) known.add(key);
    if (!visit(run, part, value[key]!, { up: at, key }, null)) isFine = false;
  };
  for (const name of (schema["required"] ?? []) as readonly string[]) {
    if (!spend(run.budget, COST.entry)) return false;
    if (!Object.hasOwn(value, name)) isFine = run.report(at, "is required", name);
  }
  const isNamed = schema["propertyNames"];
  for (const key of isNamed === undefined ? [] : run.keysOf(value)) {
    if (!fitsSilently(run, isNamed!, key, { up: at, key }, null)) {
      isFine = run.report({ up: at, key }, "has a name that is not allowed");
    }
    if (isExhausted(run.budget)) return false;
  }
  const together = schema["dependentRequired"] as JsonObject | undefined;
  for (const name of run.keysOf(together)) {
    if (!spend(run.budget, COST.entry)) return false;
    for (const other of Object.hasOwn(value, name) ? (together![name] as readonly string[]) : []) {
      if (!spend(run.budget, COST.entry)) return false;
      if (!Object.hasOwn(value, other)) {
        isFine = run.report(at, `is required together with ${name}`, other);
      }
    }
  }
  const dependent = schema["dependentSchemas"] as JsonObject | undefined;
  for (const name of run.keysOf(dependent)) {
    if (!spend(run.budget, COST.entry)) return false;
    if (Object.hasOwn(value, name) && !visit(run, dependent![name]!, value, at, known)) {
      isFine = false;
    }
  }
  if (!ENTRY_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return isFine;
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const patterns = schema["patternProperties"] as JsonObject | undefined;
  const sources = run.keysOf(patterns);
  const others = schema["additionalProperties"];
  const rest = schema["unevaluatedProperties"];
  for (const key of run.keysOf(value)) {
    if (!spend(run.budget, COST.entry)) return false;
    const part = own(properties, key);
    let isSpokenOf = part !== undefined;
    if (part !== undefined) under(key, part);
    for (const source of sources) {
      if (isExhausted(run.budget)) return false;
      if (!matchesPattern(run.pattern(source), key, run.budget)) continue;
      isSpokenOf = true;
      under(key, patterns![source]!);
    }
    if (!isSpokenOf && others !== undefined) under(key, others);
    if (rest !== undefined && !known!.has(key)) under(key, rest);
  }
  return isFine;
};

/** Without one of them nobody asks for the single entries, or items, of a value. */
const ENTRY_KEYWORDS = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
] as const;
const ITEM_KEYWORDS = ["prefixItems", "items", "contains", "unevaluatedItems"] as const;

const visitItems: Visit<JsonObject, readonly Json[]> = (run, schema, value, at, known) => {
  if (!ITEM_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) return true;
  let isFine = true;
  const prefix = (schema["prefixItems"] ?? []) as readonly Json[];
  const items = schema["items"];
  const contains = schema["contains"];
  const rest = schema["unevaluatedItems"];
  let contained = 0;
  for (const [index, item] of value.entries()) {
    if (!spend(run.budget, known === null ? COST.entry : COST.entry + COST.known)) return false;
    const key = String(index);
    const place = { up: at, key };
    const part = index < prefix.length ? prefix[index] : items;
    if (part !== undefined) {
      known?.add(key);
      if (!visit(run, part, item, place, null)) isFine = false;
    }
    if (contains !== undefined && fitsSilently(run, contains, item, place, null)) {
      contained += 1;
      known?.add(key);
    }
    if (rest !== undefined && !known!.has(key)) {
      known!.add(key);
      if (!visit(run, rest, item, place, null)) isFine = false;
    }
  }
  if (contains === undefined) return isFine;
  const [least, most] = [schema["minContains"] ?? 1, schema["maxContains"] ?? Infinity] as number[];
  if (contained < least!) return run.report(at, `needs at least ${least} items of a kind`);
  if (contained > most!) return run.report(at, `may have at most ${most} items of a kind`);
  return isFine;
};
