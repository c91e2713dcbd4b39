/**
 * Reads typed texts as values. A text that is not valid for its kind stays a text, so that the schema
 * reports the problem and the person sees the text again.
 */
import { canonicalJson, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { validateValue } from "../../json-schema/schema-validator";
import { parseJsonText } from "../../protocol/parse-json";
import { keyName, optionName, namedNodes, zoneName } from "./node";
import type { Child, FormNode, GroupNode, ListNode, MapNode, TextNode, Texts } from "./node";
import { readNumber } from "./number-text";
import { objectOf } from "./schema";

interface ReadContext {
  readonly root: JsonObject;
  readonly texts: Texts;
}

const MAX_CONDITION_STEPS = 20_000;

/** Undefined if it was left empty. Parts of the shown value (`before`) that the form did not draw stay. */
export function readNode(
  context: ReadContext,
  node: FormNode,
  before: Json | undefined,
): Json | undefined {
  const { texts } = context;
  switch (node.kind) {
    case "group":
      return node.isTuple === true
        ? readTuple(context, node, before)
        : readGroup(context, node, before);
    case "when":
      return undefined;
    case "list":
      return readList(context, node, before);
    case "map":
      return readMap(context, node, before);
    case "variants": {
      const chosen = node.options[Number(texts.get(node.name) || "-1")];
      return chosen === undefined ? undefined : readNode(context, chosen.node, before);
    }
    case "many": {
      const chosen = node.options
        .filter((_, index) => texts.has(optionName(node.name, index)))
        .map((option) => option.value);
      return chosen.length === 0 && !node.isRequired ? undefined : inShownOrder(chosen, before);
    }
    case "choice": {
      const text = texts.get(node.name) ?? "";
      if (text === "") return undefined;
      return node.options.find((option) => canonicalJson(option.value) === text)?.value ?? text;
    }
    case "check": {
      const isOn = texts.get(node.name) === "true" || texts.get(node.name) === "on";
      return isOn ? true : node.isConsent ? undefined : false;
    }
    case "fixed":
      return node.isConstant ? node.value : before;
    case "file":
      return before;
    case "json":
      return parseJsonBox(texts.get(node.name) ?? "");
    default:
      return readText(node, texts);
  }
}

const setKey = (values: readonly Json[]) => values.map(canonicalJson).sort().join();

/** The same choices in another order are not a change. */
function inShownOrder(chosen: readonly Json[], before: Json | undefined): Json {
  const listed = listOf(before);
  return setKey(chosen) === setKey(listed) ? [...listed] : [...chosen];
}

function parseJsonBox(text: string): Json | undefined {
  if (text.trim() === "") return undefined;
  const read = parseJsonText(text);
  return read.ok ? (read.value as Json) : text;
}

function readGroup(
  context: ReadContext,
  node: GroupNode,
  before: Json | undefined,
): Json | undefined {
  const shown = objectOf(before) ?? {};
  const read = readChildren(context, node.children, shown);
  const drawn = new Set(node.children.flatMap(namedNodes).map(([key]) => key));
  const undrawn = Object.entries(shown).filter(([key]) => !drawn.has(key));
  const value = { ...Object.fromEntries(undrawn), ...read.value };
  const isEmpty = !read.isAnswered && undrawn.length === 0;
  return isEmpty && !node.isRequired ? undefined : value;
}

interface ReadResult {
  readonly value: JsonObject;
  /** Whether there is any answer besides constants. */
  readonly isAnswered: boolean;
}

/** `around` has the other values of the object, which conditions are checked against. */
export function readChildren(
  context: ReadContext,
  children: readonly Child[],
  shown: JsonObject,
  around: JsonObject = {},
): ReadResult {
  const value: Record<string, Json> = {};
  let isAnswered = false;
  for (const { key, node } of children) {
    if (key === "") continue;
    const one = readNode(context, node, own(shown, key));
    if (one === undefined) continue;
    value[key] = one;
    if (countsAsAnswer(node)) isAnswered = true;
  }
  for (const { key, node } of children) {
    if (key !== "") continue;
    if (node.kind === "json") {
      const named = Object.entries(objectOf(readNode(context, node, undefined)) ?? {});
      Object.assign(value, Object.fromEntries(named.filter(([one]) => node.fields?.includes(one))));
    }
    if (node.kind === "variants") {
      const chosen = objectOf(readNode(context, node, undefined));
      if (chosen !== null) {
        Object.assign(value, chosen);
        isAnswered = true;
      }
    }
    if (node.kind === "when" && applies(context, node, { ...around, ...value })) {
      const inner = readChildren(context, node.children, shown, { ...around, ...value });
      Object.assign(value, inner.value);
      isAnswered ||= inner.isAnswered;
    }
  }
  return { value, isAnswered };
}

/** Constants and checkboxes other than consents do not count. */
const countsAsAnswer = (node: FormNode): boolean =>
  !(node.kind === "fixed" || (node.kind === "check" && !node.isConsent));

function applies(
  { root }: Pick<ReadContext, "root">,
  node: Extract<FormNode, { kind: "when" }>,
  value: JsonObject,
): boolean {
  const { problems } = validateValue(root, node.condition, value, MAX_CONDITION_STEPS);
  return (problems.length === 0) !== node.isElse;
}

function readTuple(
  context: ReadContext,
  node: GroupNode,
  before: Json | undefined,
): Json | undefined {
  const shown = listOf(before);
  const items = node.children.map((child, index) => readNode(context, child.node, shown[index]));
  const last = items.findLastIndex((item) => item !== undefined);
  if (last === -1 && !node.isRequired) return undefined;
  return items.slice(0, last + 1).map((item) => item ?? null);
}

function readList(
  context: ReadContext,
  { rows, isRequired }: ListNode,
  before: Json | undefined,
): Json | undefined {
  const shown = listOf(before);
  const items = rows.flatMap((row, index) => {
    const value = readNode(context, row, shown[index]);
    return value === undefined ? [] : [value];
  });
  if (items.length > 0) return items;
  // An empty list that was shown stays an empty list. Otherwise there is no answer.
  return isRequired || (Array.isArray(before) && before.length === 0) ? [] : undefined;
}

function readMap(
  context: ReadContext,
  { rows, isRequired }: MapNode,
  before: Json | undefined,
): Json | undefined {
  const shown = objectOf(before);
  const entries = rows.flatMap((row) => {
    const key = context.texts.get(keyName(row.name))?.trim() ?? "";
    const value = readNode(context, row, shown === null ? undefined : own(shown, key));
    return key === "" || value === undefined ? [] : [[key, value] as const];
  });
  if (entries.length === 0) {
    return isRequired || (shown !== null && Object.keys(shown).length === 0) ? {} : undefined;
  }
  return Object.fromEntries(entries);
}

function readText(node: TextNode, texts: Texts): Json | undefined {
  const text = (texts.get(node.name) ?? "").replaceAll("\r\n", "\n");
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (node.kind) {
    case "number":
    case "integer":
      if (trimmed.length > LIMITS.numberTextLength) return trimmed;
      return readNumber(trimmed, node.language, node.unit) ?? trimmed;
    case "date-time":
      return readDateTime(trimmed, texts.get(zoneName(node.name)) ?? "");
    case "time":
      return /^\d\d:\d\d$/.test(trimmed) ? `${trimmed}:00` : trimmed;
    case "email":
    case "tel":
    case "date":
    case "color":
      return trimmed;
    case "url":
      return /^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(trimmed) ? `https://${trimmed}` : trimmed;
    default:
      return text;
  }
}

function readDateTime(text: string, zone: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text);
  if (parts === null) return text;
  const [, day, time, seconds = ":00"] = parts;
  return `${day}T${time}${seconds}${/^[+-]\d\d:\d\d$/.test(zone) ? zone : "Z"}`;
}
