/**
 * Matches a text against a regular expression in counted work. It follows all paths through the
 * expression at the same time (Thompson), so the work is at most the length of the expression times
 * that of the text. The platform's backtracking can take forever. The result is the same.
 */
import { spend, type StepBudget } from "./step-budget";
import { LIMITS } from "../domain/limits";
import { parsePattern, type PatternNode } from "./pattern-syntax";

type Edge = Extract<PatternNode, { kind: "edge" }>["edge"];
type Step =
  | { readonly op: "one"; readonly matches: (character: string) => boolean }
  | { readonly op: "edge"; readonly edge: Edge }
  | { readonly op: "look"; readonly ahead: Pattern; readonly isNot: boolean }
  /** Continue at each of these steps. */
  | { readonly op: "fork"; readonly to: readonly number[] }
  | { readonly op: "done" };

/** A sequence of steps. Every step except a fork continues at the next one. */
export type Pattern = readonly Step[];

/** The compiled expression, or a text that explains why it is not valid or not supported. */
export function compilePattern(source: string): Pattern | string {
  try {
    void new RegExp(source, "u");
  } catch {
    return "is not a regular expression";
  }
  const tree = parsePattern(source);
  if (typeof tree === "string") return `contains ${tree}, which is not supported`;
  if (sizeOf(tree) >= LIMITS.patternSteps) {
    return `is longer than ${LIMITS.patternSteps} steps with its repetitions expanded; shorten {…} or use maxLength`;
  }
  return compile(tree);
}

/** The number of steps with repetitions expanded, computed before any is created. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case "empty":
      return 0;
    case "sequence":
      return node.parts.reduce((size, part) => size + sizeOf(part), 0);
    case "choice":
      return node.parts.reduce((size, part) => size + sizeOf(part) + 2, -2);
    case "look":
      return sizeOf(node.ahead) + 2;
    case "repeat": {
      const { min, max } = node;
      const size = sizeOf(node.part);
      return min * size + (max === Infinity ? size + 2 : (max - min) * (size + 1));
    }
    default:
      return 1;
  }
}

/** The steps of a pattern, including those of its lookaheads. */
export const patternSize = (pattern: Pattern): number =>
  pattern.reduce((size, step) => size + 1 + (step.op === "look" ? patternSize(step.ahead) : 0), 0);

function compile(tree: PatternNode): Pattern {
  const steps: Step[] = [];
  emit(tree, steps);
  steps.push({ op: "done" });
  return steps;
}

function emit(node: PatternNode, steps: Step[]): void {
  switch (node.kind) {
    case "empty":
      return;
    case "one":
      steps.push({ op: "one", matches: node.matches });
      return;
    case "edge":
      steps.push({ op: "edge", edge: node.edge });
      return;
    case "look":
      steps.push({ op: "look", ahead: compile(node.ahead), isNot: node.isNot });
      return;
    case "sequence":
      for (const part of node.parts) emit(part, steps);
      return;
    case "choice":
      emitChoice(node.parts, steps);
      return;
    case "repeat":
      emitRepeat(node.part, node.min, node.max, steps);
  }
}

function emitChoice(parts: readonly PatternNode[], steps: Step[]): void {
  const [first, ...rest] = parts;
  if (first === undefined) return;
  if (rest.length === 0) return emit(first, steps);
  const fork = steps.length;
  steps.push({ op: "done" });
  emit(first, steps);
  const jump = steps.length;
  steps.push({ op: "done" });
  steps[fork] = { op: "fork", to: [fork + 1, steps.length] };
  emitChoice(rest, steps);
  steps[jump] = { op: "fork", to: [steps.length] };
}

function emitRepeat(part: PatternNode, min: number, max: number, steps: Step[]): void {
  for (let time = 0; time < min; time += 1) emit(part, steps);
  if (max === Infinity) {
    const fork = steps.length;
    steps.push({ op: "done" });
    emit(part, steps);
    steps.push({ op: "fork", to: [fork] });
    steps[fork] = { op: "fork", to: [fork + 1, steps.length] };
    return;
  }
  const forks: number[] = [];
  for (let time = min; time < max; time += 1) {
    forks.push(steps.length);
    steps.push({ op: "done" });
    emit(part, steps);
  }
  for (const fork of forks) steps[fork] = { op: "fork", to: [fork + 1, steps.length] };
}

/**
 * Matches anywhere in the text, as JSON Schema defines it. The result is valid only while the
 * budget lasts.
 */
export const matchesPattern = (pattern: Pattern, text: string, budget: StepBudget): boolean =>
  spend(budget, text.length) && isFound(pattern, [...text], 0, true, budget);

/** The cost of starting a match, even of an empty text: an object can have many names of one letter. */
const TEST_STEPS = 8;

function isFound(
  pattern: Pattern,
  text: readonly string[],
  from: number,
  isAnywhere: boolean,
  budget: StepBudget,
): boolean {
  if (!spend(budget, TEST_STEPS + (pattern.length >> 3))) return false;
  // The last position that reached each step. Clearing a set at every character would be most of
  // the work.
  const visited = new Uint32Array(pattern.length);
  let waiting: number[] = [];
  for (let at = from; at <= text.length; at += 1) {
    const pending = isAnywhere || at === from ? [0, ...waiting] : waiting;
    waiting = [];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (visited[index] === at + 1) continue;
      visited[index] = at + 1;
      if (!spend(budget, 1)) return false;
      const step = pattern[index]!;
      if (step.op === "done") return true;
      if (step.op === "fork") pending.push(...step.to);
      else if (step.op === "one") {
        if (at < text.length && step.matches(text[at]!)) waiting.push(index + 1);
      } else if (step.op === "edge") {
        if (isEdge(step.edge, text, at)) pending.push(index + 1);
      } else if (isFound(step.ahead, text, at, false, budget) !== step.isNot) {
        pending.push(index + 1);
      }
    }
    if (!isAnywhere && waiting.length === 0) return false;
  }
  return false;
}

function isEdge(edge: Edge, text: readonly string[], at: number): boolean {
  if (edge === "start") return at === 0;
  if (edge === "end") return at === text.length;
  const isBetween = isWord(text[at - 1]) !== isWord(text[at]);
  return isBetween === (edge === "word");
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /^\w$/.test(character);
