/**
 * A value against a JSON Schema (2020-12): goes through both together, in work that is counted. The
 * schema was checked before (schema-check.ts): its references resolve and lead in no circle.
 */
import { effortOf, isSpent, spend, type Effort } from "./effort";
import { isJsonObject, own, type Json, type JsonObject } from "./json";
import { compilePattern, matchesPattern, type Pattern } from "./pattern";
import { schemaAt } from "./schema-pointer";
import { RULES, type RuleContext } from "./schema-rules";

export interface ValueProblem {
  /** Names and numbers from the root of the value to what is wrong. */
  readonly path: readonly string[];
  readonly message: string;
  readonly isMissing?: true;
}

interface Verdict {
  readonly problems: readonly ValueProblem[];
  /** Where the work ended before it was done; what the problems say is then not the whole. */
  readonly endedAt: readonly string[] | null;
}

interface Place {
  readonly up: Place | null;
  readonly key: string;
}

interface Run extends RuleContext {
  readonly root: JsonObject;
  readonly problems: ValueProblem[];
  readonly needsKnown: boolean;
  endedAt: Place | null | undefined;
}

/** Names and numbers of the parts that some schema has spoken of; null where nobody asks. */
type Known = Set<string> | null;

/** `root` is what references are followed in: `schema` may be a part of it. */
export function validateValue(
  root: JsonObject,
  schema: JsonObject,
  value: Json,
  steps: number,
): Verdict {
  const effort = effortOf(steps);
  const run: Run = {
    root,
    effort,
    problems: [],
    pattern: patternsOf(effort),
    needsKnown: JSON.stringify(root).includes('"unevaluated'),
    endedAt: undefined,
  };
  visit(run, schema, value, null, null);
  const endedAt = run.endedAt === undefined ? null : pathOf(run.endedAt);
  return { problems: run.problems, endedAt: isSpent(effort) ? (endedAt ?? []) : null };
}

function patternsOf(effort: Effort): (source: string) => Pattern {
  const compiled = new Map<string, Pattern>();
  return (source) => {
    const known = compiled.get(source);
    if (known !== undefined) return known;
    const made = compilePattern(source);
    // Such a pattern is refused with its schema; one that was kept before that holds nobody up.
    const pattern: Pattern = typeof made === "string" ? [{ op: "done" }] : made;
    spend(effort, pattern.length);
    compiled.set(source, pattern);
    return pattern;
  };
}

function pathOf(place: Place | null): readonly string[] {
  const path: string[] = [];
  for (let at = place; at !== null; at = at.up) path.unshift(at.key);
  return path;
}

/** More than anybody reads, and few enough to keep; that there is a problem is known without it. */
const PROBLEMS_KEPT = 5_000;

function report(run: Run, at: Place | null, message: string, name?: string): false {
  if (run.problems.length >= PROBLEMS_KEPT) return false;
  if (name === undefined) run.problems.push({ path: pathOf(at), message });
  else run.problems.push({ path: [...pathOf(at), name], message, isMissing: true });
  return false;
}

/** What going to a schema costs beside its keywords, in the time a character takes to match. */
const VISIT_STEPS = 10;

function visit(run: Run, schema: Json, value: Json, at: Place | null, known: Known): boolean {
  const isFine = spend(run.effort, VISIT_STEPS) && isVisited(run, schema, value, at, known);
  if (isSpent(run.effort) && run.endedAt === undefined) run.endedAt = at;
  return isFine;
}

function isVisited(run: Run, schema: Json, value: Json, at: Place | null, known: Known): boolean {
  if (schema === false) return report(run, at, "is not allowed here");
  if (!isJsonObject(schema)) return true;
  // What is evaluated inside counts for this schema's own `unevaluated…` and for those around it.
  const here: Known = run.needsKnown ? new Set() : null;
  let isFine = true;
  for (const keyword in schema) {
    if (!spend(run.effort, 1)) return false;
    const rule = RULES.get(keyword);
    const wanted = schema[keyword]!;
    if (rule !== undefined) {
      const message = rule(wanted, value, run);
      if (message !== null) isFine = report(run, at, message);
    } else if (!applies(run, schema, keyword, value, at, here)) isFine = false;
  }
  if (isJsonObject(value)) isFine = visitEntries(run, schema, value, at, here) && isFine;
  else if (Array.isArray(value)) isFine = visitItems(run, schema, value, at, here) && isFine;
  if (isFine && known !== null && here !== null && spend(run.effort, here.size)) {
    for (const key of here) known.add(key);
  }
  return isFine;
}

/** Keywords that hold other schemas against the very same value. */
function applies(
  run: Run,
  schema: JsonObject,
  keyword: string,
  value: Json,
  at: Place | null,
  known: Known,
): boolean {
  const wanted = schema[keyword]!;
  switch (keyword) {
    case "$ref":
      return visit(run, schemaAt(run.root, wanted as string) ?? true, value, at, known);
    case "allOf":
      return (wanted as readonly Json[])
        .map((part) => visit(run, part, value, at, known))
        .every(Boolean);
    case "anyOf":
      return visitChoices(run, wanted as readonly Json[], value, at, known, (fits) => fits > 0);
    case "oneOf":
      return visitChoices(run, wanted as readonly Json[], value, at, known, (fits) => fits === 1);
    case "not":
      return isQuietly(run, wanted, value, at, null)
        ? report(run, at, "is what it must not be")
        : true;
    case "if": {
      const next = isQuietly(run, wanted, value, at, known) ? "then" : "else";
      return visit(run, own(schema, next) ?? true, value, at, known);
    }
    default:
      return true;
  }
}

/** Whether it fits, without a word about why not. */
function isQuietly(run: Run, schema: Json, value: Json, at: Place | null, known: Known): boolean {
  const before = run.problems.length;
  const isFine = visit(run, schema, value, at, known);
  run.problems.length = before;
  return isFine;
}

function visitChoices(
  run: Run,
  choices: readonly Json[],
  value: Json,
  at: Place | null,
  known: Known,
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
  if (run.problems.length === before) report(run, at, message);
  return false;
}

function visitEntries(
  run: Run,
  schema: JsonObject,
  value: JsonObject,
  at: Place | null,
  known: Known,
): boolean {
  let isFine = true;
  const under = (key: string, part: Json): void => {
    known?.add(key);
    if (!visit(run, part, value[key]!, { up: at, key }, null)) isFine = false;
  };
  for (const name of (schema["required"] ?? []) as readonly string[]) {
    if (!spend(run.effort, 1)) return false;
    if (!Object.hasOwn(value, name)) isFine = report(run, at, "is required", name);
  }
  const keys = Object.keys(value);
  const isNamed = schema["propertyNames"];
  for (const key of isNamed === undefined ? [] : keys) {
    if (!isQuietly(run, isNamed!, key, { up: at, key }, null)) {
      isFine = report(run, { up: at, key }, "has a name that is not allowed");
    }
  }
  for (const [name, needed] of Object.entries((schema["dependentRequired"] ?? {}) as JsonObject)) {
    for (const other of Object.hasOwn(value, name) ? (needed as readonly string[]) : []) {
      if (!spend(run.effort, 1)) return false;
      if (!Object.hasOwn(value, other)) {
        isFine = report(run, at, `is required together with ${name}`, other);
      }
    }
  }
  for (const [name, part] of Object.entries((schema["dependentSchemas"] ?? {}) as JsonObject)) {
    if (Object.hasOwn(value, name) && !visit(run, part, value, at, known)) isFine = false;
  }
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as JsonObject);
  const others = schema["additionalProperties"];
  const rest = schema["unevaluatedProperties"];
  for (const key of keys) {
    if (!spend(run.effort, 1)) return false;
    const part = own(properties, key);
    let isSpokenOf = part !== undefined;
    if (part !== undefined) under(key, part);
    for (const [source, pattern] of patterns) {
      if (!matchesPattern(run.pattern(source), key, run.effort)) continue;
      isSpokenOf = true;
      under(key, pattern);
    }
    if (!isSpokenOf && others !== undefined) under(key, others);
    if (rest !== undefined && !known!.has(key)) under(key, rest);
  }
  return isFine;
}

function visitItems(
  run: Run,
  schema: JsonObject,
  value: readonly Json[],
  at: Place | null,
  known: Known,
): boolean {
  let isFine = true;
  const prefix = (schema["prefixItems"] ?? []) as readonly Json[];
  const items = schema["items"];
  const contains = schema["contains"];
  const rest = schema["unevaluatedItems"];
  let contained = 0;
  for (const [index, item] of value.entries()) {
    if (!spend(run.effort, 1)) return false;
    const key = String(index);
    const place = { up: at, key };
    const part = index < prefix.length ? prefix[index] : items;
    if (part !== undefined) {
      known?.add(key);
      if (!visit(run, part, item, place, null)) isFine = false;
    }
    if (contains !== undefined && isQuietly(run, contains, item, place, null)) {
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
  if (contained < least!) return report(run, at, `needs at least ${least} items of a kind`);
  if (contained > most!) return report(run, at, `may have at most ${most} items of a kind`);
  return isFine;
}
