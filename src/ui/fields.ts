/**
 * From a JSON Schema to the parts of a form. Pure: what cannot be drawn as an input of its own is
 * edited as JSON, so that no schema leaves a field out of reach.
 */
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";
import { requiredFields } from "../json-schema/partial-schema";
import { fileRuleOf, type FileRule } from "../domain/files/upload-rule";

type FieldKind =
  | "text"
  | "long"
  | "number"
  | "integer"
  | "boolean"
  | "enum"
  | "date"
  | "date-time"
  | "email"
  | "url"
  | "object"
  | "array"
  | "file"
  | "json";

export interface FieldSpec {
  /** The name of the input; nested ones carry the path. */
  readonly name: string;
  readonly key: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly help: string | null;
  readonly isRequired: boolean;
  readonly options: readonly Json[];
  readonly min: number | null;
  readonly max: number | null;
  readonly maxLength: number | null;
  readonly children: readonly FieldSpec[];
  /** Of an array: its items. */
  readonly item: FieldSpec | null;
  readonly file: FileRule | null;
}

/** A text that may be longer than this gets more than one line. */
const ONE_LINE = 200;
const MAX_DEPTH = 6;

type Fields = Readonly<Record<string, Json>>;

/** The form's fields: those of the schema in its order, then what is set beside it. */
export function fieldSpecs(schema: JsonObject | null, fields: Fields): readonly FieldSpec[] {
  const required = requiredFields(schema);
  const properties = schema === null ? {} : propertiesOf(schema, schema);
  const described = Object.entries(properties).map(([key, node]) =>
    specOf(schema ?? {}, node, key, ["f", key], required.includes(key), 0),
  );
  const others = Object.entries(fields)
    .filter(([key]) => !Object.hasOwn(properties, key))
    .map(([key, value]) => specOf({}, inferred(value), key, ["f", key], required.includes(key), 0));
  return [...described, ...others];
}

/** A field that no schema describes: any text. */
export const freeField = (key: string): FieldSpec =>
  specOf({}, { type: "string", maxLength: 2 * ONE_LINE }, key, ["f", key], false, 0);

const inputName = (path: readonly string[]): string =>
  path.map((part) => encodeURIComponent(part)).join("/");

function specOf(
  root: JsonObject,
  raw: Json,
  key: string,
  path: readonly string[],
  isRequired: boolean,
  depth: number,
): FieldSpec {
  const node = resolved(root, raw);
  const kind = depth > MAX_DEPTH ? "json" : kindOf(node);
  const nested = kind === "object" ? propertiesOf(root, node) : {};
  const needed = own(node, "required");
  const items = own(node, "items");
  return {
    name: inputName(path),
    key,
    kind,
    label: textOf(node, "title") ?? key,
    help: textOf(node, "description"),
    isRequired,
    options: optionsOf(node),
    min: numberOf(node, "minimum"),
    max: numberOf(node, "maximum"),
    maxLength: numberOf(node, "maxLength"),
    children: Object.entries(nested).map(([name, child]) =>
      specOf(
        root,
        child,
        name,
        [...path, name],
        isRequired && Array.isArray(needed) && needed.includes(name),
        depth + 1,
      ),
    ),
    item:
      kind === "array" ? specOf(root, items ?? {}, key, [...path, "#"], false, depth + 1) : null,
    file: kind === "file" ? fileRuleOf(node) : null,
  };
}

function kindOf(node: JsonObject): FieldKind {
  const type = [own(node, "type")].flat().find((one) => one !== "null");
  const format = own(node, "format");
  if (format === "file") return "file";
  if (optionsOf(node).length > 0) return "enum";
  switch (type) {
    case "boolean":
      return "boolean";
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "string":
      return stringKind(node, format);
    case "object":
      return isJsonObject(own(node, "properties")) ? "object" : "json";
    case "array":
      return isSimpleItem(own(node, "items")) ? "array" : "json";
    default:
      return "json";
  }
}

function stringKind(node: JsonObject, format: Json | undefined): FieldKind {
  if (format === "date" || format === "date-time" || format === "email") return format;
  if (format === "uri" || format === "url") return "url";
  const maxLength = numberOf(node, "maxLength");
  return format === "textarea" || (maxLength !== null && maxLength > ONE_LINE) ? "long" : "text";
}

const isSimpleItem = (items: Json | undefined): boolean => isJsonObject(items ?? null);

function optionsOf(node: JsonObject): readonly Json[] {
  const options = own(node, "enum");
  if (Array.isArray(options)) return options;
  const constant = own(node, "const");
  return constant === undefined ? [] : [constant];
}

/** Properties of a node, of the parts of its allOf and of what it refers to. */
function propertiesOf(root: JsonObject, node: JsonObject): Readonly<Record<string, Json>> {
  const here = resolved(root, node);
  const properties = own(here, "properties");
  const parts = own(here, "allOf");
  return {
    ...(Array.isArray(parts)
      ? Object.assign(
          {},
          ...parts.filter(isJsonObject).map((part) => propertiesOf(root, resolved(root, part))),
        )
      : {}),
    ...(isJsonObject(properties) ? properties : {}),
  };
}

/** Follows references inside the document; what stands beside a reference wins over its target. */
function resolved(root: JsonObject, raw: Json): JsonObject {
  let node = isJsonObject(raw) ? raw : {};
  for (let hop = 0; hop < MAX_DEPTH; hop++) {
    const reference = own(node, "$ref");
    if (typeof reference !== "string" || !reference.startsWith("#")) return node;
    let target: Json | undefined = root;
    for (const part of reference.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      target = isJsonObject(target ?? null) ? own(target as JsonObject, key) : undefined;
    }
    const { $ref: _, ...beside } = node;
    node = { ...(isJsonObject(target ?? null) ? (target as JsonObject) : {}), ...beside };
  }
  return node;
}

function inferred(value: Json): JsonObject {
  if (typeof value === "string") return { type: "string", maxLength: value.length + ONE_LINE };
  if (typeof value === "number" || typeof value === "boolean") return { type: typeof value };
  return {};
}

function textOf(node: JsonObject, key: string): string | null {
  const text = own(node, key);
  return typeof text === "string" && text !== "" ? text : null;
}

function numberOf(node: JsonObject, key: string): number | null {
  const number = own(node, key);
  return typeof number === "number" ? number : null;
}
