/**
 * The problems of an answer as texts for a person, assigned to the inputs that can fix them, in the order
 * of the form. The schema validator decides; this file only assigns and translates its findings.
 */
import { listOf, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { valuesOnly } from "../../json-schema/partial-schema";
import type { ValueProblem } from "../../json-schema/validation-run";
import { validateValue } from "../../json-schema/schema-validator";
import { jsonProblem } from "../../protocol/parse-json";
import type { Words } from "../words/en";
import { keysIn, type FormModel } from "./fields";
import { keyName, childNodes, type Child, type FormNode, type Texts } from "./node";
import { readNode } from "./read";
import { objectOf } from "./schema";

type Values = ReadonlyMap<string, Json | undefined>;

interface CheckContext {
  readonly model: FormModel;
  readonly texts: Texts;
  readonly words: Words;
  /** Formats a number as a value of the form. */
  readonly amount: (number: number) => string;
}

/** Messages by input name, in the order of the form. `isComplete` also reports missing fields. */
export function problemsIn(
  context: CheckContext,
  values: Values,
  around: Readonly<Record<string, Json>>,
  isComplete: boolean,
): ReadonlyMap<string, string> {
  const { model } = context;
  const entries = [...values].filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const document = { ...around, ...Object.fromEntries(entries) };
  for (const [key, value] of values)
    if (value === undefined) delete (document as Record<string, Json>)[key];
  const schema = isComplete ? model.root : valuesOnly(model.root);
  const { problems } = validateValue(model.root, schema, document, LIMITS.validationSteps);
  const drawn = new Set(model.children.flatMap(keysIn));
  const found = new Map<string, string>();
  for (const problem of [...problems, ...entries.flatMap(bodyProblems)]) {
    const [key] = problem.path;
    if (key === undefined || !drawn.has(key)) continue;
    assignProblem(context, model.children, document, problem, found);
  }
  if (isComplete && Object.keys(model.root).length === 0) requireAnswer(context, values, found);
  return inFormOrder(model.children, found);
}

/** A value that the body of an API request could not contain is not saved here either. */
function bodyProblems([key, value]: readonly [string, Json]): readonly ValueProblem[] {
  const message = jsonProblem({ fields: { [key]: value } });
  return message === null ? [] : [{ path: [key], message }];
}

/** Without a schema, the answer must not be empty. */
function requireAnswer(
  { model, words }: CheckContext,
  values: Values,
  found: Map<string, string>,
): void {
  if ([...values.values()].some((value) => value !== undefined)) return;
  const [first] = model.children;
  if (first !== undefined && first.node.kind !== "file")
    found.set(first.node.name, words.errors.required);
}

function assignProblem(
  context: CheckContext,
  children: readonly Child[],
  value: JsonObject,
  problem: ValueProblem,
  found: Map<string, string>,
): void {
  const [key = "", ...rest] = problem.path;
  const child = activeChildren(context, children).find((one) => one.key === key);
  if (child === undefined) return;
  descend(context, child.node, own(value, key), { ...problem, path: rest }, found);
}

/** The children, including those of conditional parts and of the chosen variant. */
function activeChildren(context: CheckContext, children: readonly Child[]): readonly Child[] {
  return children.flatMap((child) => {
    const { key, node } = child;
    if (key !== "") return [child];
    if (node.kind === "when") return activeChildren(context, node.children);
    if (node.kind !== "variants") return [];
    const chosen = node.options[Number(context.texts.get(node.name) || "-1")];
    return chosen?.node.kind === "group" ? activeChildren(context, chosen.node.children) : [];
  });
}

function descend(
  context: CheckContext,
  node: FormNode,
  value: Json | undefined,
  problem: ValueProblem,
  found: Map<string, string>,
): void {
  const { texts, model } = context;
  const { path } = problem;
  const [key = ""] = path;
  const put = (): void => {
    if (!found.has(node.name)) found.set(node.name, messageFor(context, node, problem, value));
  };
  if (node.kind === "variants") {
    const chosen = node.options[Number(texts.get(node.name) || "-1")];
    if (chosen === undefined || value === undefined) return put();
    const inner = validateValue(model.root, chosen.schema, value, LIMITS.validationSteps);
    if (inner.problems.length === 0 && path.length === 0) return;
    for (const one of inner.problems) descend(context, chosen.node, value, one, found);
    return;
  }
  if (path.length === 0) return put();
  const rest = { ...problem, path: path.slice(1) };
  const inner = Array.isArray(value) ? listOf(value)[Number(key)] : own(objectOf(value) ?? {}, key);
  switch (node.kind) {
    case "group": {
      const child = activeChildren(context, node.children).find((one) => one.key === key);
      return child === undefined ? put() : descend(context, child.node, inner, rest, found);
    }
    case "list":
    case "map": {
      const row = rowFor(context, node, key);
      return row === undefined ? put() : descend(context, row, inner, rest, found);
    }
    default:
      return put();
  }
}

/** Empty rows are not items, so the third item can be in the fourth row. */
function rowFor(
  { model, texts }: CheckContext,
  node: Extract<FormNode, { kind: "list" | "map" }>,
  key: string,
): FormNode | undefined {
  if (node.kind === "map")
    return node.rows.find((row) => texts.get(keyName(row.name))?.trim() === key);
  const filled = node.rows.filter(
    (row) => readNode({ root: model.root, texts }, row, undefined) !== undefined,
  );
  return filled[Number(key)];
}

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/i;

function messageFor(
  { words, amount }: CheckContext,
  node: FormNode,
  { message, isMissing }: ValueProblem,
  value: Json | undefined,
): string {
  const { errors } = words;
  if (isMissing === true || value === undefined) return missingMessage(words, node);
  const [digits = "0"] = NUMBER.exec(message) ?? [];
  const limit = amount(Number(digits));
  const table: readonly (readonly [RegExp, () => string])[] = [
    [/^must be at least/, () => errors.min(limit)],
    [/^must be at most/, () => errors.max(limit)],
    [/^must be more than/, () => errors.over(limit)],
    [/^must be less than/, () => errors.under(limit)],
    [/^must be a multiple of/, () => errors.step(limit)],
    [/^must have at least .* characters/, () => errors.short(limit)],
    [/^must have at most .* characters|^is longer than/, () => errors.long(limit)],
    // If at least one item is required, the list is empty.
    [
      /^must have at least|^needs at least/,
      () => (digits === "1" ? missingMessage(words, node) : errors.few(limit)),
    ],
    [/^must have at most|^may have at most/, () => errors.many(limit)],
    [/^items .* are the same/, () => errors.same],
    [/^does not match the pattern/, () => patternMessage(words, node)],
    [/^does not have the format|^must be/, () => kindMessage(words, node, value)],
  ];
  return table.find(([pattern]) => pattern.test(message))?.[1]() ?? errors.check;
}

const MISSING_MESSAGES: Partial<Record<FormNode["kind"], "choose" | "consent" | "file" | "rows">> =
  {
    choice: "choose",
    many: "choose",
    variants: "choose",
    check: "consent",
    file: "file",
    list: "rows",
    map: "rows",
  };

const missingMessage = ({ errors }: Words, { kind }: FormNode): string =>
  errors[MISSING_MESSAGES[kind] ?? "required"];

const patternMessage = ({ errors }: Words, node: FormNode): string =>
  "example" in node && node.example !== undefined
    ? errors.patternLike(node.example)
    : errors.pattern;

/** All integers with this many digits are stored exactly. Some longer ones are not. */
const EXACT_DIGITS = 15;

const hasManyDigits = (value: Json): boolean =>
  typeof value === "string" && (value.match(/\p{Nd}/gu)?.length ?? 0) > EXACT_DIGITS;

function kindMessage(words: Words, node: FormNode, value: Json): string {
  const { errors } = words;
  switch (node.kind) {
    case "number":
    case "integer":
      return hasManyDigits(value) ? errors.digits : errors[node.kind];
    case "email":
    case "url":
    case "date":
    case "time":
    case "json":
      return errors[node.kind];
    case "date-time":
      return errors.dateTime;
    case "choice":
      return errors.choose;
    case "check":
      return errors.consent;
    default:
      return "example" in node ? patternMessage(words, node) : errors.check;
  }
}

function inFormOrder(
  children: readonly Child[],
  found: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const names = children.flatMap(({ node }) => inputNames(node));
  const ordered = names.filter((name) => found.has(name));
  return new Map([...ordered, ...found.keys()].map((name) => [name, found.get(name) ?? ""]));
}

const inputNames = (node: FormNode): readonly string[] => [
  node.name,
  ...childNodes(node).flatMap(inputNames),
];

/** The labels of all inputs, for the summary that links to them. */
export function labelsIn(children: readonly Child[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  // A row is named like its heading: the list's label and the row's number.
  const collect = (node: FormNode, within: string, row: string): void => {
    const label = [within, row === "" ? node.label : row];
    const fullLabel = label.filter((part) => part !== "").join(" – ");
    labels.set(node.name, fullLabel);
    // All rows have the same labels, so the row's name is added.
    const inner = row === "" ? within : fullLabel;
    const hasRows = node.kind === "list" || node.kind === "map";
    childNodes(node).forEach((one, index) => {
      if (!hasRows) return collect(one, inner, "");
      const name = `${node.label} ${index + 1}`.trim();
      const isNamed = node.kind === "map" && one.label !== node.label;
      collect(one, within, isNamed ? `${name}: ${one.label}` : name);
    });
  };
  for (const { node } of children) collect(node, "", "");
  return labels;
}
