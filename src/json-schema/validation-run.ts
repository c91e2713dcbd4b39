/**
 * One check of a value against a schema while it runs: the work that is left, the problems found so
 * far, and what was read once and need not be read again. Whatever grows with the value or with the
 * schema is asked for here, because here it is paid for.
 */
import { stepBudget, spend, type StepBudget } from "./step-budget";
import type { Json, JsonObject } from "../domain/json";
import { compilePattern, type Pattern } from "./pattern";
import { schemaAt } from "./schema-pointer";

export interface ValueProblem {
  /** Names and numbers from the root of the value to what is wrong. */
  readonly path: readonly string[];
  readonly message: string;
  readonly isMissing?: true;
}

export interface ValuePath {
  readonly up: ValuePath | null;
  readonly key: string;
}

/**
 * What each kind of work costs. One step is about the time in which a character is matched; the
 * others were measured against it, so that the same number of steps takes about the same time
 * whatever it is spent on.
 */
export const COST = {
  /** Going to a schema, beside its keywords. */
  visit: 10,
  keyword: 2,
  /** One name or number of the value, looked up and kept in mind. */
  entry: 4,
  /** The same in a set of what some schema has spoken of: sets grow. */
  known: 6,
  /** A name of an object, read for the first time. */
  firstKey: 8,
  /** A problem with its words and its place. */
  report: 20,
  /** A character of an item's one text, by which it is told from the others. */
  canonical: 3,
  /** A character held against a format: the expressions of some go over it more than once. */
  formatted: 4,
  /** A step of a pattern made ready: the platform reads every set of characters once. */
  patternStep: 100,
} as const;

/** More than anybody reads, and few enough to keep; that there is a problem is known without it. */
const MAX_PROBLEMS = 5_000;

export class ValidationRun {
  readonly budget: StepBudget;
  readonly problems: ValueProblem[] = [];
  readonly tracksEvaluated: boolean;
  /** Where the work ended before it was done. */
  exhaustedAt: ValuePath | null | undefined = undefined;
  readonly #root: JsonObject;
  readonly #patterns = new Map<string, Pattern>();
  readonly #targets = new Map<string, Json>();
  readonly #keys = new Map<JsonObject, readonly string[]>();

  constructor(root: JsonObject, steps: number) {
    this.#root = root;
    this.budget = stepBudget(steps);
    this.tracksEvaluated = JSON.stringify(root).includes('"unevaluated');
  }

  report(at: ValuePath | null, message: string, name?: string): false {
    if (!spend(this.budget, COST.report) || this.problems.length >= MAX_PROBLEMS) return false;
    if (name === undefined) this.problems.push({ path: pathSegments(at), message });
    else this.problems.push({ path: [...pathSegments(at), name], message, isMissing: true });
    return false;
  }

  /** The names of an object, whether it stands in the value or in the schema. */
  keysOf(value: JsonObject | undefined): readonly string[] {
    if (value === undefined) return [];
    const known = this.#keys.get(value);
    if (known !== undefined) return known;
    const keys = Object.keys(value);
    spend(this.budget, COST.firstKey * (1 + keys.length));
    this.#keys.set(value, keys);
    return keys;
  }

  /** What a reference leads to: read letter by letter only once. */
  target(reference: string): Json {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    spend(this.budget, reference.length);
    const target = schemaAt(this.#root, reference) ?? true;
    this.#targets.set(reference, target);
    return target;
  }

  pattern(source: string): Pattern {
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    const made = compilePattern(source);
    // Such a pattern is refused with its schema; one that was kept before that holds nobody up.
    const pattern: Pattern = typeof made === "string" ? [{ op: "done" }] : made;
    spend(this.budget, COST.patternStep * pattern.length);
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

export function pathSegments(place: ValuePath | null): readonly string[] {
  const path: string[] = [];
  for (let at = place; at !== null; at = at.up) path.unshift(at.key);
  return path;
}
