/**
 * What was typed, as a value. Whatever cannot be read as its kind stays the text that it is, so that
 * the schema says what is wrong with it and the person sees it again.
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

/** Undefined for what was left empty. `before` is what the form showed: what it did not draw is kept. */
export function readNode(
  reading: ReadContext,
  node: FormNode,
  before: Json | undefined,
): Json | undefined {
  const { texts } = reading;
  switch (node.kind) {
    case "group":
      return node.isTuple === true
        ? readTuple(reading, node, before)
        : readGroup(reading, node, before);
    case "when":
      return undefined;
    case "list":
      return readList(reading, node, before);
    case "map":
      return readMap(reading, node, before);
    case "variants": {
      const chosen = node.options[Number(texts.get(node.name) || "-1")];
      return chosen === undefined ? undefined : readNode(reading, chosen.node, before);
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

/** The same choices in another order are no change. */
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
  reading: ReadContext,
  node: GroupNode,
  before: Json | undefined,
): Json | undefined {
  const shown = objectOf(before) ?? {};
  const read = readChildren(reading, node.children, shown);
  const drawn = new Set(node.children.flatMap(namedNodes).map(([key]) => key));
  const kept = Object.entries(shown).filter(([key]) => !drawn.has(key));
  const value = { ...Object.fromEntries(kept), ...read.value };
  const isEmpty = !read.isAnswered && kept.length === 0;
  return isEmpty && !node.isRequired ? undefined : value;
}

interface ReadResult {
  readonly value: JsonObject;
  /** Anything beside constants, which are there by themselves. */
  readonly isAnswered: boolean;
}

/** `around` is what else the object holds, for conditions to be held against. */
export function readChildren(
  reading: ReadContext,
  children: readonly Child[],
  shown: JsonObject,
  around: JsonObject = {},
): ReadResult {
  const value: Record<string, Json> = {};
  let isAnswered = false;
  for (const { key, node } of children) {
    if (key === "") continue;
    const one = readNode(reading, node, own(shown, key));
    if (one === undefined) continue;
    value[key] = one;
    if (countsAsAnswer(node)) isAnswered = true;
  }
  for (const { key, node } of children) {
    if (key !== "") continue;
    if (node.kind === "json") {
      const named = Object.entries(objectOf(readNode(reading, node, undefined)) ?? {});
      Object.assign(value, Object.fromEntries(named.filter(([one]) => node.fields?.includes(one))));
    }
    if (node.kind === "variants") {
      const chosen = objectOf(readNode(reading, node, undefined));
      if (chosen !== null) {
        Object.assign(value, chosen);
        isAnswered = true;
      }
    }
    if (node.kind === "when" && applies(reading, node, { ...around, ...value })) {
      const inner = readChildren(reading, node.children, shown, { ...around, ...value });
      Object.assign(value, inner.value);
      isAnswered ||= inner.isAnswered;
    }
  }
  return { value, isAnswered };
}

/** A switch that nobody touched and a constant are no answer. */
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
  reading: ReadContext,
  node: GroupNode,
  before: Json | undefined,
): Json | undefined {
  const shown = listOf(before);
  const items = node.children.map((child, index) => readNode(reading, child.node, shown[index]));
  const last = items.findLastIndex((item) => item !== undefined);
  if (last === -1 && !node.isRequired) return undefined;
  return items.slice(0, last + 1).map((item) => item ?? null);
}

function readList(
  reading: ReadContext,
  { rows, isRequired }: ListNode,
  before: Json | undefined,
): Json | undefined {
  const shown = listOf(before);
  const items = rows.flatMap((row, index) => {
    const value = readNode(reading, row, shown[index]);
    return value === undefined ? [] : [value];
  });
  if (items.length > 0) return items;
  // An empty list that was there stays one; otherwise nothing was said.
  return isRequired || (Array.isArray(before) && before.length === 0) ? [] : undefined;
}

function readMap(
  reading: ReadContext,
  { rows, isRequired }: MapNode,
  before: Json | undefined,
): Json | undefined {
  const shown = objectOf(before);
  const entries = rows.flatMap((row) => {
    const key = reading.texts.get(keyName(row.name))?.trim() ?? "";
    const value = readNode(reading, row, shown === null ? undefined : own(shown, key));
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
