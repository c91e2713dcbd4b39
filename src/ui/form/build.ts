/**
 * From a schema and the value that is there to the parts of a form. What cannot be drawn is a box for
 * JSON, so that no schema leaves a value out of reach. The whole form is bounded: it goes as deep as
 * its inputs stay below the limit, and what is deeper is such a box.
 */
import { canonicalJson, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { fileRuleOf } from "../../domain/files/file-rule";
import { LIMITS } from "../../domain/limits";
import { omitUndefined } from "../../domain/result";
import {
  choiceOptions,
  hintsOf,
  isNull,
  mergeSchemas,
  numberOf,
  objectOf,
  resolveSchema,
  describesType,
  textOf,
  typesOf,
} from "./schema";
import { groupChildren } from "./group";
import { childName, type FormNode, type TextNode, type Texts } from "./node";
import { mapNode, rowsFor } from "./maps";
import { textNode } from "./text-node";
import { variantsOf } from "./variants";

/** Thrown where a form would have more inputs than it may; the next try is less deep. */
export class TooManyInputs extends Error {}

export interface BuildContext {
  readonly root: JsonObject;
  /** In which numbers are typed. */
  readonly language: string;
  /** What was typed, where the form is drawn again. */
  readonly texts: Texts | null;
  readonly budget: { inputs: number; characters: number };
  /** To be read and not answered: what is said about writing does not matter. */
  readonly isReadOnly?: true;
}

export interface NodeSlot {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly value: Json | undefined;
  /** How many levels may still be drawn below this one. */
  readonly depth: number;
  /** The field itself, where it stands at the top. */
  readonly field?: string;
}

export function buildNode(build: BuildContext, raw: Json | undefined, place: NodeSlot): FormNode {
  build.budget.inputs -= 1;
  if (build.budget.inputs < 0) throw new TooManyInputs();
  const node = resolveSchema(build.root, raw);
  if (node === null) return jsonNode({}, place);
  if (build.budget.characters < 0) return withoutTexts(node, place);
  const made = nodeOf(build, raw, node, place) ?? jsonNode(node, place);
  build.budget.characters -= textLengthOf(made);
  return build.budget.characters < 0 ? withoutTexts(node, place) : made;
}

/** What a form may still have: counted by whoever builds a part of it. */
export const newFormBudget = (): BuildContext["budget"] => ({
  inputs: LIMITS.formInputs,
  characters: LIMITS.formTextLength,
});

/** Characters that a part adds to the page by itself. */
function textLengthOf(node: FormNode): number {
  const { label, help, section, example, unit, pattern } = node as Partial<TextNode>;
  const constant = node.kind === "fixed" && node.isConstant ? node.value : undefined;
  const given = JSON.stringify("initial" in node ? node.initial : constant);
  const options = node.kind === "choice" || node.kind === "many" ? node.options : [];
  const perOption = options.flatMap((one) => [one.label, one.help, OPTION_MARKUP]);
  return [label, help, section, example, unit, pattern, given, ...perOption].reduce<number>(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  );
}

/** What stands around the words of an option. */
const OPTION_MARKUP = '<option value=""></option>';

/** Where a schema's words would be repeated too often: the same part without them. */
function withoutTexts(node: JsonObject, place: NodeSlot): FormNode {
  const { isPrivate } = commonProps(node, place);
  return { ...jsonNode({}, place), ...omitUndefined({ isPrivate }) };
}

export const commonProps = (node: JsonObject, { name, label, isRequired }: NodeSlot) => ({
  name,
  label: textOf(node, "title") ?? label,
  help: textOf(node, "description"),
  isRequired,
  ...omitUndefined({
    isPrivate: own(hintsOf(node), "private") === true || undefined,
    section: textOf(hintsOf(node), "section") ?? undefined,
  }),
});

export const jsonNode = (node: JsonObject, place: NodeSlot): FormNode => ({
  kind: "json",
  ...commonProps(node, place),
});

/** Null for what has no drawing of its own. */
function nodeOf(
  build: BuildContext,
  raw: Json | undefined,
  node: JsonObject,
  place: NodeSlot,
): FormNode | null {
  const base = commonProps(node, place);
  const { value } = place;
  const file = fileNode(node, place);
  if (file !== null) return { ...base, ...file };
  if (own(node, "readOnly") === true && build.isReadOnly !== true) {
    const read = nodeOf({ ...build, isReadOnly: true }, raw, node, place);
    return { ...base, kind: "fixed", value, isConstant: false, ...(read === null ? {} : { read }) };
  }
  const constant = own(node, "const");
  if (constant !== undefined) {
    if (constant === true) return { ...base, kind: "check", isConsent: true };
    return { ...base, kind: "fixed", value: constant, isConstant: true };
  }
  const options = choiceOptions(build, node);
  const initial = value === undefined ? own(node, "default") : undefined;
  const started = initial === undefined ? {} : { initial };
  if (options !== null) return { ...base, kind: "choice", options, ...started };
  const variants = variantsNode(build, node, place);
  if (variants !== undefined) return variants;
  const types = typesOf(node);
  const [type] = types.length === 0 ? [impliedType(node)] : types;
  if (types.length > 1 || type === undefined) return null;
  switch (type) {
    case "boolean":
      // Told by the schema alone: a save must not turn a box into something else under one's hands.
      return own(node, "default") === undefined
        ? { ...base, kind: "choice", options: YES_OR_NO }
        : { ...base, kind: "check", isConsent: false, ...started };
    case "string":
    case "number":
    case "integer":
      return { ...base, ...textNode(build, node, type, value), ...started };
    case "array":
      return arrayNode(build, node, place);
    case "object": {
      if (place.depth <= 0) return null;
      const children = groupChildren(build, raw, node, place);
      if (children === null) return mapNode(build, node, place);
      return { ...base, kind: "group", children };
    }
    default:
      return null;
  }
}

/** The labels are words of the page; these stand for them. */
const YES_OR_NO = [
  { value: true, label: "yes", help: null },
  { value: false, label: "no", help: null },
] as const;

function impliedType(node: JsonObject): string | undefined {
  if (own(node, "properties") !== undefined) return "object";
  if (own(node, "items") !== undefined || own(node, "prefixItems") !== undefined) return "array";
  const isText = ["pattern", "minLength", "maxLength", "format"].some((key) =>
    Object.hasOwn(node, key),
  );
  return isText && own(node, "format") !== "file" ? "string" : undefined;
}

/** Only a field of the session itself takes files. */
function fileNode(node: JsonObject, { field }: NodeSlot) {
  if (field === undefined) return null;
  const items = objectOf(own(node, "items"));
  const isMany = items !== null && own(items, "format") === "file";
  if (!isMany && own(node, "format") !== "file") return null;
  const most = own(node, "maxItems");
  const limit = isMany && typeof most === "number" ? { maxItems: most } : {};
  const rule = fileRuleOf(isMany ? items : node);
  return { kind: "file" as const, field, rule, isMany, ...limit };
}

/** Undefined where there are no variants; a box for JSON where the value is of none of them. */
function variantsNode(
  build: BuildContext,
  node: JsonObject,
  place: NodeSlot,
): FormNode | undefined {
  const given = own(node, "oneOf") ?? own(node, "anyOf");
  const options = listOf(given).filter((one) => !isNull(one));
  if (options.length === 0 || !options.every(describesType)) return undefined;
  const { oneOf: _, anyOf: __, ...rest } = node;
  const [only] = options;
  if (options.length === 1 && only !== undefined) {
    const merged = mergeSchemas(rest, resolveSchema(build.root, only) ?? {});
    return nodeOf(build, merged, merged, place) ?? jsonNode(node, place);
  }
  // Fields that all variants share stand beside them, in the group around.
  if (own(rest, "properties") !== undefined) return undefined;
  if (place.depth <= 0) return jsonNode(node, place);
  return variantsOf(build, node, options, rest, place);
}

function arrayNode(build: BuildContext, node: JsonObject, place: NodeSlot): FormNode | null {
  const { value, depth } = place;
  const items = own(node, "items");
  const min = numberOf(node, "minItems");
  const max = numberOf(node, "maxItems");
  const base = commonProps(node, place);
  const tuple = listOf(own(node, "prefixItems"));
  if (tuple.length > 0) return depth <= 0 ? null : tupleNode(build, node, tuple, place);
  if (items === undefined || items === false || depth <= 0) return null;
  const item = resolveSchema(build.root, items);
  if (item === null) return null;
  const options = choiceOptions(build, item);
  const preset = value === undefined ? own(node, "default") : undefined;
  const started = Array.isArray(preset) ? { initial: preset as Json } : {};
  const values = listOf(value ?? started.initial);
  if (options !== null && new Set(values.map(canonicalJson)).size === values.length) {
    const limit = max === undefined ? {} : { max };
    return { ...base, kind: "many", options, min: min ?? 0, ...limit, ...started };
  }
  if (values.length > LIMITS.formRows) return null;
  const rows = rowsFor(build, items, place, base.label, { values, min, max });
  return { ...base, kind: "list", ...rows, ...started };
}

function tupleNode(
  build: BuildContext,
  node: JsonObject,
  tuple: readonly Json[],
  place: NodeSlot,
): FormNode | null {
  const given = listOf(place.value);
  if (given.length > tuple.length) return null;
  const base = commonProps(node, place);
  const children = tuple.map((raw, index) => ({
    key: String(index),
    node: buildNode(build, raw, {
      name: childName(place.name, String(index)),
      label: `${base.label} ${index + 1}`,
      isRequired: index < (numberOf(node, "minItems") ?? 0),
      value: given[index],
      depth: place.depth - 1,
    }),
  }));
  return { ...base, kind: "group", children, isTuple: true };
}
