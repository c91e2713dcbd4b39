/**
 * Builds the nodes of a form from a schema and the current value. A part that cannot be drawn becomes a
 * JSON box, so that every value can be edited. The number of inputs is limited: the form goes as deep as
 * the limit allows, and deeper parts become JSON boxes.
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

/** Thrown if a form would have too many inputs. The caller retries with less depth. */
export class TooManyInputs extends Error {}

export interface BuildContext {
  readonly root: JsonObject;
  /** The language in which numbers are typed. */
  readonly language: string;
  /** The typed texts, if the form is drawn again. */
  readonly texts: Texts | null;
  readonly budget: { inputs: number; characters: number };
  /** The values are shown and not edited, so `readOnly` does not matter. */
  readonly isReadOnly?: true;
}

export interface NodeSlot {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly value: Json | undefined;
  /** How many levels can still be drawn below this one. */
  readonly depth: number;
  /** The field's name, if this is a field of the session itself. */
  readonly field?: string;
}

export function buildNode(build: BuildContext, raw: Json | undefined, slot: NodeSlot): FormNode {
  build.budget.inputs -= 1;
  if (build.budget.inputs < 0) throw new TooManyInputs();
  const node = resolveSchema(build.root, raw);
  if (node === null) return jsonNode({}, slot);
  if (build.budget.characters < 0) return withoutTexts(node, slot);
  const built = nodeOf(build, raw, node, slot) ?? jsonNode(node, slot);
  build.budget.characters -= textLengthOf(built);
  return build.budget.characters < 0 ? withoutTexts(node, slot) : built;
}

/** The inputs and characters that a form may have. Each built node is subtracted from them. */
export const newFormBudget = (): BuildContext["budget"] => ({
  inputs: LIMITS.formInputs,
  characters: LIMITS.formTextLength,
});

/** Characters that a node adds to the page, without its children. */
function textLengthOf(node: FormNode): number {
  const { label, help, section, example, unit, pattern } = node as Partial<TextNode>;
  const constant = node.kind === "fixed" && node.isConstant ? node.value : undefined;
  const presetText = JSON.stringify("initial" in node ? node.initial : constant);
  const options = node.kind === "choice" || node.kind === "many" ? node.options : [];
  const perOption = options.flatMap((one) => [one.label, one.help, OPTION_MARKUP]);
  return [label, help, section, example, unit, pattern, presetText, ...perOption].reduce<number>(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  );
}

/** The markup around an option's label. */
const OPTION_MARKUP = '<option value=""></option>';

/** The node without the schema's texts, if they would be repeated too often. */
function withoutTexts(node: JsonObject, slot: NodeSlot): FormNode {
  const { isPrivate } = commonProps(node, slot);
  return { ...jsonNode({}, slot), ...omitUndefined({ isPrivate }) };
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

export const jsonNode = (node: JsonObject, slot: NodeSlot): FormNode => ({
  kind: "json",
  ...commonProps(node, slot),
});

/** Null if only a JSON box can edit it. */
function nodeOf(
  build: BuildContext,
  raw: Json | undefined,
  node: JsonObject,
  slot: NodeSlot,
): FormNode | null {
  const base = commonProps(node, slot);
  const { value } = slot;
  const file = fileNode(node, slot);
  if (file !== null) return { ...base, ...file };
  if (own(node, "readOnly") === true && build.isReadOnly !== true) {
    const read = nodeOf({ ...build, isReadOnly: true }, raw, node, slot);
    return { ...base, kind: "fixed", value, isConstant: false, ...(read === null ? {} : { read }) };
  }
  const constant = own(node, "const");
  if (constant !== undefined) {
    if (constant === true) return { ...base, kind: "check", isConsent: true };
    return { ...base, kind: "fixed", value: constant, isConstant: true };
  }
  const options = choiceOptions(build, node);
  const initial = value === undefined ? own(node, "default") : undefined;
  const initialProps = initial === undefined ? {} : { initial };
  if (options !== null) return { ...base, kind: "choice", options, ...initialProps };
  const variants = variantsNode(build, node, slot);
  if (variants !== undefined) return variants;
  const types = typesOf(node);
  const [type] = types.length === 0 ? [impliedType(node)] : types;
  if (types.length > 1 || type === undefined) return null;
  switch (type) {
    case "boolean":
      // Decided by the schema alone, so that a save does not turn a checkbox into another input.
      return own(node, "default") === undefined
        ? { ...base, kind: "choice", options: YES_OR_NO }
        : { ...base, kind: "check", isConsent: false, ...initialProps };
    case "string":
    case "number":
    case "integer":
      return { ...base, ...textNode(build, node, type, value), ...initialProps };
    case "array":
      return arrayNode(build, node, slot);
    case "object": {
      if (slot.depth <= 0) return null;
      const children = groupChildren(build, raw, node, slot);
      if (children === null) return mapNode(build, node, slot);
      return { ...base, kind: "group", children };
    }
    default:
      return null;
  }
}

/** Placeholders: the page translates these labels. */
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

/** Only a field of the session itself can have files. */
function fileNode(node: JsonObject, { field }: NodeSlot) {
  if (field === undefined) return null;
  const items = objectOf(own(node, "items"));
  const isMany = items !== null && own(items, "format") === "file";
  if (!isMany && own(node, "format") !== "file") return null;
  const maxItems = own(node, "maxItems");
  const limit = isMany && typeof maxItems === "number" ? { maxItems } : {};
  const rule = fileRuleOf(isMany ? items : node);
  return { kind: "file" as const, field, rule, isMany, ...limit };
}

/** Undefined if there are no variants. A JSON box if the value matches none of them. */
function variantsNode(build: BuildContext, node: JsonObject, slot: NodeSlot): FormNode | undefined {
  const alternatives = own(node, "oneOf") ?? own(node, "anyOf");
  const options = listOf(alternatives).filter((one) => !isNull(one));
  if (options.length === 0 || !options.every(describesType)) return undefined;
  const { oneOf: _, anyOf: __, ...rest } = node;
  const [only] = options;
  if (options.length === 1 && only !== undefined) {
    const merged = mergeSchemas(rest, resolveSchema(build.root, only) ?? {});
    return nodeOf(build, merged, merged, slot) ?? jsonNode(node, slot);
  }
  // Fields that all variants share belong to the group around them.
  if (own(rest, "properties") !== undefined) return undefined;
  if (slot.depth <= 0) return jsonNode(node, slot);
  return variantsOf(build, node, options, rest, slot);
}

function arrayNode(build: BuildContext, node: JsonObject, slot: NodeSlot): FormNode | null {
  const { value, depth } = slot;
  const items = own(node, "items");
  const min = numberOf(node, "minItems");
  const max = numberOf(node, "maxItems");
  const base = commonProps(node, slot);
  const tuple = listOf(own(node, "prefixItems"));
  if (tuple.length > 0) return depth <= 0 ? null : tupleNode(build, node, tuple, slot);
  if (items === undefined || items === false || depth <= 0) return null;
  const item = resolveSchema(build.root, items);
  if (item === null) return null;
  const options = choiceOptions(build, item);
  const preset = value === undefined ? own(node, "default") : undefined;
  const initialProps = Array.isArray(preset) ? { initial: preset as Json } : {};
  const values = listOf(value ?? initialProps.initial);
  if (options !== null && new Set(values.map(canonicalJson)).size === values.length) {
    const limit = max === undefined ? {} : { max };
    return { ...base, kind: "many", options, min: min ?? 0, ...limit, ...initialProps };
  }
  if (values.length > LIMITS.formRows) return null;
  const rows = rowsFor(build, items, slot, base.label, { values, min, max });
  return { ...base, kind: "list", ...rows, ...initialProps };
}

function tupleNode(
  build: BuildContext,
  node: JsonObject,
  tuple: readonly Json[],
  slot: NodeSlot,
): FormNode | null {
  const items = listOf(slot.value);
  if (items.length > tuple.length) return null;
  const base = commonProps(node, slot);
  const children = tuple.map((raw, index) => ({
    key: String(index),
    node: buildNode(build, raw, {
      name: childName(slot.name, String(index)),
      label: `${base.label} ${index + 1}`,
      isRequired: index < (numberOf(node, "minItems") ?? 0),
      value: items[index],
      depth: slot.depth - 1,
    }),
  }));
  return { ...base, kind: "group", children, isTuple: true };
}
