/**
 * The keywords of JSON Schema that check a value on their own. Each has one rule, which returns a
 * message or null. Keywords that apply other schemas are not here.
 */
import { format as FORMATS } from "@cfworker/json-schema";
import { spend, type StepBudget } from "./step-budget";
import { canonicalJson, isJsonObject, type Json } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { matchesPattern } from "./pattern";
import { COST, type ValidationRun } from "./validation-run";

type Rule = (expected: Json, value: Json, run: ValidationRun) => string | null;

const numeric =
  (isValid: (value: number, expected: number) => boolean, text: string): Rule =>
  (expected, value) =>
    typeof value !== "number" || isValid(value, expected as number) ? null : `${text} ${expected}`;

const counted =
  (
    sizeOf: (value: Json, run: ValidationRun) => number | null,
    isValid: (size: number, expected: number) => boolean,
    text: (expected: number) => string,
  ): Rule =>
  (expected, value, run) => {
    const size = sizeOf(value, run);
    return size === null || isValid(size, expected as number) ? null : text(expected as number);
  };

const atLeast = (size: number, expected: number): boolean => size >= expected;
const atMost = (size: number, expected: number): boolean => size <= expected;
const items = (value: Json): number | null => (Array.isArray(value) ? value.length : null);
const names = (value: Json, run: ValidationRun): number | null =>
  isJsonObject(value) ? run.keysOf(value).length : null;
/** Counts code points, not UTF-16 units. */
function characters(value: Json, { budget }: ValidationRun): number | null {
  if (typeof value !== "string") return null;
  if (!spend(budget, value.length)) return 0;
  let count = 0;
  for (const character of value) count += character.length > 0 ? 1 : 0;
  return count;
}

export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", hasType],
  ["const", (expected, value, run) => isOneOf([expected], value, run)],
  ["enum", (expected, value, run) => isOneOf(expected as readonly Json[], value, run)],
  ["minimum", numeric((value, expected) => value >= expected, "must be at least")],
  ["maximum", numeric((value, expected) => value <= expected, "must be at most")],
  ["exclusiveMinimum", numeric((value, expected) => value > expected, "must be more than")],
  ["exclusiveMaximum", numeric((value, expected) => value < expected, "must be less than")],
  ["multipleOf", numeric(isMultiple, "must be a multiple of")],
  ["minLength", counted(characters, atLeast, (n) => `must have at least ${n} characters`)],
  ["maxLength", counted(characters, atMost, (n) => `must have at most ${n} characters`)],
  ["minItems", counted(items, atLeast, (n) => `must have at least ${n} items`)],
  ["maxItems", counted(items, atMost, (n) => `must have at most ${n} items`)],
  ["minProperties", counted(names, atLeast, (n) => `must have at least ${n} entries`)],
  ["maxProperties", counted(names, atMost, (n) => `must have at most ${n} entries`)],
  [
    "uniqueItems",
    (expected, value, { budget }) => (expected === true ? duplicateProblem(value, budget) : null),
  ],
  [
    "pattern",
    (expected, value, run) =>
      typeof value !== "string" ||
      matchesPattern(run.pattern(expected as string), value, run.budget)
        ? null
        : "does not match the pattern",
  ],
  ["format", hasFormat],
]);

function hasType(expected: Json, value: Json): string | null {
  const types = (Array.isArray(expected) ? expected : [expected]) as readonly string[];
  return types.some((type) => isOfType(value, type))
    ? null
    : `must be ${types.map(aType).join(" or ")}`;
}

function isOfType(value: Json, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const aType = (type: string): string =>
  type === "null" ? "null" : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;

function isOneOf(choices: readonly Json[], value: Json, run: ValidationRun): string | null {
  if (choices.some((one) => isEqual(value, one, run))) return null;
  return spend(run.budget, COST.entry * Math.min(choices.length, MAX_SHOWN_LENGTH / 4))
    ? allowedText(choices)
    : "";
}

const MAX_SHOWN_LENGTH = 200;

/** Bounded in length, because it may be reported for very many items. */
function allowedText(choices: readonly Json[]): string {
  let text = "";
  for (const choice of choices) {
    if (text.length > MAX_SHOWN_LENGTH) return `must be one of ${text}, …`;
    text += (text === "" ? "" : ", ") + choiceText(choice);
  }
  return `must be ${choices.length === 1 ? "" : "one of "}${text}`;
}

function choiceText(choice: Json): string {
  if (typeof choice === "string" && choice.length > MAX_SHOWN_LENGTH) {
    return `${JSON.stringify(choice.slice(0, MAX_SHOWN_LENGTH))}…`;
  }
  if (typeof choice !== "object" || choice === null) return JSON.stringify(choice);
  return Array.isArray(choice) ? "[…]" : "{…}";
}

/** Decimal steps such as 0.01 are not exact in binary, so a billionth of a step is tolerated. */
function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const times = value / step;
  return (
    Number.isFinite(times) &&
    !Number.isInteger(step) &&
    Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times))
  );
}

function isEqual(a: Json, b: Json, run: ValidationRun): boolean {
  if (!spend(run.budget, COST.keyword)) return false;
  if (typeof a === "string" && typeof b === "string") {
    // Two texts of the same length are compared character by character, eight at a time.
    return a.length === b.length && spend(run.budget, a.length >> 3) && a === b;
  }
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((one, n) => isEqual(one, b[n], run))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = run.keysOf(a);
  return (
    keys.length === run.keysOf(b).length &&
    keys.every(
      (key) =>
        spend(run.budget, COST.entry) && Object.hasOwn(b, key) && isEqual(a[key]!, b[key]!, run),
    )
  );
}

/** Compares the canonical texts of the items, so that the work grows linearly with the list. */
function duplicateProblem(value: Json, budget: StepBudget): string | null {
  if (!Array.isArray(value)) return null;
  const seen = new Map<string, number>();
  for (const [index, item] of (value as readonly Json[]).entries()) {
    const text = canonicalJson(item);
    if (!spend(budget, COST.entry + COST.canonical * text.length)) return null;
    const before = seen.get(text);
    if (before !== undefined) return `items ${before} and ${index} are the same`;
    seen.set(text, index);
  }
  return null;
}

/**
 * The library's check of `url` has unbounded backtracking. A URL is a URI with one of these
 * schemes.
 */
const isUrl = (text: string): boolean =>
  /^(?:https?|ftp):\/\/[^\s/?#]/i.test(text) && FORMATS["uri"]!(text);

function hasFormat(expected: Json, value: Json, { budget }: ValidationRun): string | null {
  const name = expected as string;
  if (typeof value !== "string" || !Object.hasOwn(FORMATS, name)) return null;
  if (value.length > LIMITS.formattedLength) {
    return `is longer than ${LIMITS.formattedLength}, too long for the format ${name}`;
  }
  if (!spend(budget, COST.visit + COST.formatted * value.length)) return null;
  const isValid = name === "url" ? isUrl(value) : FORMATS[name]!(value);
  return isValid ? null : `does not have the format ${name}`;
}
