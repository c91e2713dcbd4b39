/** Writes a value as the texts of its inputs, as a form shows it first. */
import { canonicalJson, listOf, own, type Json } from "../../domain/json";
import { keyName, optionName, zoneName, type Child, type FormNode, type TextNode } from "./node";
import { writeNumber } from "./number-text";
import { objectOf } from "./schema";

export function textsOf(node: FormNode, value: Json | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  write(node, value, texts);
  return texts;
}

function write(node: FormNode, value: Json | undefined, texts: Map<string, string>): void {
  switch (node.kind) {
    case "group":
    case "when":
      return writeChildren(node.children, value, texts);
    case "list": {
      const items = listOf(value ?? node.initial);
      return node.rows.forEach((row, index) => write(row, items[index], texts));
    }
    case "map": {
      const entries = Object.entries(objectOf(value) ?? {});
      return node.rows.forEach((row, index) => {
        const entry = entries[index];
        texts.set(keyName(row.name), entry?.[0] ?? "");
        write(row, entry?.[1], texts);
      });
    }
    case "variants":
      texts.set(node.name, node.chosen === null ? "" : String(node.chosen));
      return node.options.forEach((option, index) =>
        write(option.node, index === node.chosen ? value : undefined, texts),
      );
    case "many": {
      const chosen = new Set(listOf(value ?? node.initial).map(canonicalJson));
      return node.options.forEach((option, index) => {
        if (chosen.has(canonicalJson(option.value))) texts.set(optionName(node.name, index), "on");
      });
    }
    case "choice":
    case "check": {
      const shown = value ?? node.initial;
      texts.set(node.name, shown === undefined ? "" : canonicalJson(shown));
      return;
    }
    case "json": {
      const shown = node.fields === undefined ? value : pickFields(value, node.fields);
      texts.set(node.name, shown === undefined ? "" : JSON.stringify(shown, null, 2));
      return;
    }
    case "fixed":
    case "file":
      return;
    default:
      return writeText(node, value ?? node.initial, texts);
  }
}

function pickFields(value: Json | undefined, fields: readonly string[]): Json | undefined {
  const whole = objectOf(value) ?? {};
  const entries = Object.entries(whole).filter(([key]) => fields.includes(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function writeChildren(
  children: readonly Child[],
  value: Json | undefined,
  texts: Map<string, string>,
): void {
  const object = objectOf(value) ?? {};
  for (const { key, node } of children) {
    const isTuple = Array.isArray(value);
    const inner = isTuple ? (value as readonly Json[])[Number(key)] : own(object, key);
    write(node, key === "" ? value : inner, texts);
  }
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(:\d\d)?(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function writeText(node: TextNode, value: Json | undefined, texts: Map<string, string>): void {
  if (value === undefined) {
    texts.set(node.name, "");
    return;
  }
  const text =
    typeof value === "number" && "language" in node
      ? writeNumber(value, node.language)
      : typeof value === "string"
        ? value
        : canonicalJson(value);
  const parts = node.kind === "date-time" ? DATE_TIME.exec(text) : null;
  if (parts !== null) {
    const [, day = "", time = "", seconds = "", fraction = "", zone = "Z"] = parts;
    const rest = seconds === ":00" && fraction === "" ? "" : seconds + fraction;
    texts.set(node.name, `${day}T${time}${rest}`);
    texts.set(zoneName(node.name), zone.toUpperCase() === "Z" ? "" : zone);
    return;
  }
  const isPlainTime = node.kind === "time" && /^\d\d:\d\d:00$/.test(text);
  texts.set(node.name, isPlainTime ? text.slice(0, 5) : text);
}
