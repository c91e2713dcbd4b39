/**
 * One running validation: the remaining budget, the problems found so far, and caches. Everything
 * that grows with the value or the schema is read here, because here its cost is counted.
 */
import { stepBudget, spend, type StepBudget } from "./step-budget";
import type { Json, JsonObject } from "../domain/json";
import { compilePattern, type Pattern } from "./pattern";
import { schemaAt } from "./schema-pointer";

export interface ValueProblem {
  /** The keys and indexes from the root of the value to the problem. */
  readonly path: readonly string[];
  readonly message: string;
  readonly isMissing?: true;
}

export interface ValuePath {
  readonly parent: ValuePath | null;
  readonly key: string;
}

/**
 * The cost of each kind of work. One step is about the time to match one character. The others were
 * measured against it, so that the same number of steps always takes about the same time.
 */
export const COST = {
  /** Visiting a schema, without its keywords. */
  visit: 10,
  keyword: 2,
  /** One key or index of the value, looked up and remembered. */
  entry: 4,
  /** The same in a set of evaluated keys, because sets grow. */
  known: 6,
  /** A key of an object, read for the first time. */
  firstKey: 8,
  /** A problem with its message and its path. */
  report: 20,
  /** A character of the canonical text by which items are compared. */
  canonical: 3,
  /** A character checked against a format. Some of the expressions read it more than once. */
  formatted: 4,
  /** One compiled step of a pattern. The platform parses every set of characters once. */
  patternStep: 100,
} as const;

/** More than anybody reads, and few enough to store. Whether there is a problem is known without it. */
const MAX_PROBLEMS = 5_000;

export class ValidationRun {
  readonly budget: StepBudget;
  readonly problems: ValueProblem[] = [];
  readonly tracksEvaluated: boolean;
  /** Where the budget was exhausted. */
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

  /** The keys of an object of the value or of the schema. */
  keysOf(value: JsonObject | undefined): readonly string[] {
    if (value === undefined) return [];
    const known = this.#keys.get(value);
    if (known !== undefined) return known;
    const keys = Object.keys(value);
    spend(this.budget, COST.firstKey * (1 + keys.length));
    this.#keys.set(value, keys);
    return keys;
  }

  /** The target of a reference, resolved only once. */
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
    const compiled = compilePattern(source);
    // Such a pattern is refused with its schema. In a schema stored before that check it matches
    // everything.
    const pattern: Pattern = typeof compiled === "string" ? [{ op: "done" }] : compiled;
    spend(this.budget, COST.patternStep * pattern.length);
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

export function pathSegments(end: ValuePath | null): readonly string[] {
  const path: string[] = [];
  for (let at = end; at !== null; at = at.parent) path.unshift(at.key);
  return path;
}
