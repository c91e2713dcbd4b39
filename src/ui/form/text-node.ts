/** Builds the node of a text or a number: its kind and its rules. */
import { omitUndefined } from "../../domain/result";
import { listOf, own, type Json, type JsonObject } from "../../domain/json";
import type { BuildContext } from "./build";
import type { TextKind, TextNode } from "./node";
import { writeNumber } from "./number-text";
import { hintsOf, numberOf, textOf } from "./schema";

/** A text that can be longer than this gets several lines. */
const MAX_ONE_LINE_LENGTH = 150;

type StringKind = Exclude<TextKind, "number" | "integer">;

const FORMATS: Readonly<Record<string, StringKind>> = {
  date: "date",
  time: "time",
  "date-time": "date-time",
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  iri: "url",
  tel: "tel",
  phone: "tel",
  color: "color",
  password: "password",
  markdown: "markdown",
  textarea: "long",
};

type RulesOf<T> = T extends TextNode ? Omit<T, "name" | "label" | "help" | "isRequired"> : never;

export function textNode(
  { language }: Pick<BuildContext, "language">,
  node: JsonObject,
  type: "string" | "number" | "integer",
  value: Json | undefined,
): RulesOf<TextNode> {
  const hints = hintsOf(node);
  const unit = textOf(hints, "unit") ?? undefined;
  const example = exampleOf(own(node, "examples"), language);
  const texts = omitUndefined({ unit, example });
  return type === "string"
    ? { kind: stringKind(node, hints, value), ...lengths(node), ...texts }
    : { kind: type, language, ...bounds(node), ...texts };
}

function stringKind(node: JsonObject, hints: JsonObject, value: Json | undefined): StringKind {
  const widget = textOf(hints, "widget");
  const format = textOf(node, "format") ?? "";
  const kind = FORMATS[widget ?? ""] ?? FORMATS[format];
  if (kind !== undefined) return kind;
  // A single-line input would drop line breaks in the value.
  const hasLines = typeof value === "string" && value.includes("\n");
  return hasLines || (numberOf(node, "maxLength") ?? 0) > MAX_ONE_LINE_LENGTH ? "long" : "text";
}

const lengths = (node: JsonObject) =>
  omitUndefined({
    minLength: numberOf(node, "minLength"),
    maxLength: numberOf(node, "maxLength"),
    pattern: textOf(node, "pattern") ?? undefined,
  });

function bounds(node: JsonObject) {
  const above = numberOf(node, "exclusiveMinimum");
  const below = numberOf(node, "exclusiveMaximum");
  const min = numberOf(node, "minimum") ?? above;
  const max = numberOf(node, "maximum") ?? below;
  return omitUndefined({
    min,
    max,
    isMinExclusive: (above !== undefined && min === above) || undefined,
    isMaxExclusive: (below !== undefined && max === below) || undefined,
    step: numberOf(node, "multipleOf"),
  });
}

function exampleOf(examples: Json | undefined, language: string): string | undefined {
  const [first] = listOf(examples);
  if (typeof first === "number") return writeNumber(first, language);
  return typeof first === "string" ? first : undefined;
}
