/** What a text or a number is typed into, and what it has to fulfil. */
import { onlyGiven } from "../../domain/result";
import { listOf, own, type Json, type JsonObject } from "../../domain/json";
import type { TextKind, TextNode } from "./node";
import { hintsOf, numberOf, textOf } from "./schema";

/** A text that may be longer than this gets more than one line. */
const ONE_LINE = 150;

const FORMATS: Readonly<Record<string, TextKind>> = {
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

type Rules = Omit<TextNode, "name" | "label" | "help" | "isRequired">;

export function textNode(
  node: JsonObject,
  type: "string" | "number" | "integer",
  value: Json | undefined,
): Rules {
  const hints = hintsOf(node);
  const unit = textOf(hints, "unit");
  const example = exampleOf(own(node, "examples"));
  const words = { ...(unit === null ? {} : { unit }), ...(example === null ? {} : { example }) };
  return type === "string"
    ? { kind: stringKind(node, hints, value), ...lengths(node), ...words }
    : { kind: type, ...bounds(node), ...words };
}

function stringKind(node: JsonObject, hints: JsonObject, value: Json | undefined): TextKind {
  const wanted = textOf(hints, "widget");
  const format = textOf(node, "format") ?? "";
  const known = FORMATS[wanted ?? ""] ?? FORMATS[format];
  if (known !== undefined) return known;
  // An input of one line would drop the line breaks that are there.
  const hasLines = typeof value === "string" && value.includes("\n");
  return hasLines || (numberOf(node, "maxLength") ?? 0) > ONE_LINE ? "long" : "text";
}

function lengths(node: JsonObject) {
  const minLength = numberOf(node, "minLength");
  const maxLength = numberOf(node, "maxLength");
  const pattern = textOf(node, "pattern");
  return {
    ...onlyGiven({ minLength, maxLength }),
    ...(pattern === null ? {} : { pattern }),
  };
}

function bounds(node: JsonObject) {
  const above = numberOf(node, "exclusiveMinimum");
  const below = numberOf(node, "exclusiveMaximum");
  const min = numberOf(node, "minimum") ?? above;
  const max = numberOf(node, "maximum") ?? below;
  const step = numberOf(node, "multipleOf");
  return {
    ...onlyGiven({ min, max }),
    ...(above !== undefined && min === above ? { isMinExclusive: true as const } : {}),
    ...(below !== undefined && max === below ? { isMaxExclusive: true as const } : {}),
    ...(step === undefined ? {} : { step }),
  };
}

function exampleOf(examples: Json | undefined): string | null {
  const [first] = listOf(examples);
  if (typeof first === "string") return first;
  return typeof first === "number" ? String(first) : null;
}
