/**
 * Shows a value with the texts of its schema: titles instead of names, the chosen option's label,
 * numbers with their unit, dates in the reader's format, the parts of a group below each other.
 */
import { canonicalJson, isJsonObject, listOf, type Json } from "../../domain/json";
import { privateHashIn } from "../../domain/session/private-values";
import { Markdown } from "../markdown";
import { fileIdOf, fileNameOf, valueText } from "../value-text";
import type { Reader } from "../words/index";
import { optionLabel } from "./draw-choices";
import { namedNodes, type FormNode, type Variant } from "./node";

interface ReadValueProps {
  /** Null if no schema describes the value. */
  readonly node: FormNode | null;
  readonly value: Json | undefined;
  readonly reader: Reader;
  /** The path of file downloads. */
  readonly downloads: string;
}

const HTTPS = /^https:\/\/[^\s]+$/;

export function ReadValue(props: ReadValueProps) {
  const { node, value, reader, downloads } = props;
  const files = filesIn(node, value);
  if (files !== null) {
    return (
      <>
        {files.map((one) => (
          <a href={`${downloads}/${fileIdOf(one)}`}>{fileNameOf(one, reader)} </a>
        ))}
      </>
    );
  }
  const pairs = node === null ? null : entriesOf(node, value);
  if (pairs !== null) {
    return (
      <dl class="inner">
        {pairs.map(([label, inner, one]) => (
          <>
            <dt dir="auto">{label}</dt>
            <dd>
              <ReadValue {...props} node={inner} value={one} />
            </dd>
          </>
        ))}
      </dl>
    );
  }
  if (node?.kind === "list" && Array.isArray(value) && value.some(isCompound)) {
    return (
      <ol class="inner">
        {(value as readonly Json[]).map((one, index) => (
          <li>
            <ReadValue {...props} node={node.rows[index] ?? node.template} value={one} />
          </li>
        ))}
      </ol>
    );
  }
  if (node?.kind === "variants" && isCompound(value)) {
    const option = node.chosen === null ? undefined : node.options[node.chosen];
    return (
      <>
        <span class="value" dir="auto">
          {option?.label ?? ""}
        </span>
        <ReadValue {...props} node={option?.node ?? null} value={withoutConstants(option, value)} />
      </>
    );
  }
  if (node?.kind === "markdown" && typeof value === "string") return <Markdown text={value} />;
  if (node?.kind === "url" && typeof value === "string" && HTTPS.test(value)) {
    return (
      <a href={value} rel="noopener noreferrer nofollow" target="_blank">
        {value}
      </a>
    );
  }
  const text = readText(node, value, reader);
  // A script shows the time in the reader's time zone.
  if (node?.kind === "date-time" && typeof value === "string" && !Number.isNaN(Date.parse(value))) {
    return <time datetime={value}>{text}</time>;
  }
  return (
    <span class="value" dir="auto">
      {text}
    </span>
  );
}

/** The same as one line of text. */
export function readText(node: FormNode | null, value: Json | undefined, reader: Reader): string {
  const { words } = reader;
  if (value === undefined || value === null || value === "") return words.page.none;
  if (privateHashIn(value) !== null) return words.page.hidden;
  switch (node?.kind) {
    case "file":
      return itemsOf(value)
        .map((one) => fileNameOf(one, reader))
        .join(", ");
    case "choice":
    case "many": {
      const labels = itemsOf(value).map((one) => {
        const option = node.options.find(
          (known) => canonicalJson(known.value) === canonicalJson(one),
        );
        return option === undefined ? valueText(one, reader) : optionLabel(option, words);
      });
      return labels.length === 0 ? words.page.none : labels.join(", ");
    }
    case "list": {
      const texts = listOf(value).map((one) => readText(node.template, one, reader));
      return texts.length === 0 ? words.page.none : texts.join(", ");
    }
    case "number":
    case "integer": {
      const text =
        typeof value === "number" ? reader.amount(value, node.unit) : valueText(value, reader);
      return node.unit === undefined ? text : `${text} ${node.unit}`;
    }
    case "date":
      return isDay(value) ? reader.day(value) : valueText(value, reader);
    case "date-time":
      return typeof value === "string" && !Number.isNaN(Date.parse(value))
        ? reader.time(value)
        : valueText(value, reader);
    case "time":
      return typeof value === "string" ? value.replace(/^(\d\d:\d\d):00$/, "$1") : "";
    default:
      return valueText(value, reader);
  }
}

const isDay = (value: Json): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));

const isCompound = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && isJsonObject(value) && privateHashIn(value) === null;

/** The parts of a compound value with their labels, without absent parts. Null if it has none. */
function entriesOf(
  node: FormNode,
  value: Json | undefined,
): readonly (readonly [string, FormNode | null, Json])[] | null {
  if (value === undefined || privateHashIn(value) !== null) return null;
  if (node.kind === "group" && node.isTuple === true) {
    if (!Array.isArray(value)) return null;
    return (value as readonly Json[]).map((one, index) => {
      const child = node.children[index]?.node ?? null;
      return [child?.label ?? String(index + 1), child, one] as const;
    });
  }
  if (!isJsonObject(value)) return null;
  if (node.kind === "map") {
    return Object.entries(value).map(([key, one], index) => [key, node.rows[index] ?? null, one]);
  }
  if (node.kind !== "group") return null;
  const known = new Map(node.children.flatMap((child) => namedNodes(child)));
  return Object.entries(value).map(([key, one]) => {
    const child = known.get(key) ?? null;
    return [child?.label ?? key, child, one] as const;
  });
}

/** The variant's label replaces its constants. */
function withoutConstants(option: Variant | undefined, value: Json | undefined): Json | undefined {
  if (option?.node.kind !== "group" || value === undefined || !isJsonObject(value)) return value;
  const constants = new Set(
    option.node.children.filter(({ node }) => node.kind === "fixed").map(({ key }) => key),
  );
  return Object.fromEntries(Object.entries(value).filter(([key]) => !constants.has(key)));
}

/** A string is a file only if the schema says so. */
function filesIn(node: FormNode | null, value: Json | undefined): readonly Json[] | null {
  const list = itemsOf(value);
  const isFile = (one: Json): boolean =>
    fileIdOf(one) !== null && (typeof one !== "string" || node?.kind === "file");
  return list.length > 0 && list.every(isFile) ? list : null;
}

/** The items of a list, or the single value. */
const itemsOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || Array.isArray(value) ? listOf(value) : [value];
