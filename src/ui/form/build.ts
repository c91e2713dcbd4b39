/**
 * From a schema and the value that is there to the parts of a form. What cannot be drawn is a box for
 * JSON, so that no schema leaves a value out of reach. The whole form is bounded: it goes as deep as
 * its inputs stay below the limit, and what is deeper is such a box.
 */
import { canonicalJson, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { fileRuleOf } from "../../domain/files/upload-rule";
import { LIMITS } from "../../domain/limits";
import { onlyGiven } from "../../domain/result";
import {
  choiceOptions,
  hintsOf,
  isNull,
  mergedWith,
  numberOf,
  objectOf,
  resolved,
  saysWhat,
  textOf,
  typesOf,
} from "./schema";
import { groupChildren } from "./group";
import { inside, type FormNode, type TextNode, type Texts } from "./node";
import { mapNode, rowsFor } from "./maps";
import { textNode } from "./text-node";
import { variantsOf } from "./variants";

/** Thrown where a form would have more inputs than it may; the next try is less deep. */
export class TooManyInputs extends Error {}

export interface Build {
  readonly root: JsonObject;
  /** In which numbers are typed. */
  readonly language: string;
  /** What was typed, where the form is drawn again. */
  readonly texts: Texts | null;
  readonly left: { inputs: number; characters: number };
  /** To be read and not answered: what is said about writing does not matter. */
  readonly isReading?: true;
}

export interface Place {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly value: Json | undefined;
  /** How many levels may still be drawn below this one. */
  readonly depth: number;
  /** The field itself, where it stands at the top. */
  readonly field?: string;
}

export function buildNode(build: Build, raw: Json | undefined, place: Place): FormNode {
  build.left.inputs -= 1;
  if (build.left.inputs < 0) throw new TooManyInputs();
  const node = resolved(build.root, raw);
  if (node === null) return jsonNode({}, place);
  if (build.left.characters < 0) return wordless(node, place);
  const made = nodeOf(build, raw, node, place) ?? jsonNode(node, place);
  build.left.characters -= lettersOf(made);
  return build.left.characters < 0 ? wordless(node, place) : made;
}

/** What a form may still have: counted by whoever builds a part of it. */
export const roomOfForm = (): Build["left"] => ({
  inputs: LIMITS.formInputs,
  characters: LIMITS.formTextLength,
});

/** Characters that a part adds to the page by itself. */
function lettersOf(node: FormNode): number {
  const { label, help, section, example, unit, pattern } = node as Partial<TextNode>;
  const constant = node.kind === "fixed" && node.isConstant ? node.value : undefined;
  const given = JSON.stringify("initial" in node ? node.initial : constant);
  const options = node.kind === "choice" || node.kind === "many" ? node.options : [];
  const perOption = options.flatMap((one) => [one.label, one.help, OPTION]);
  return [label, help, section, example, unit, pattern, given, ...perOption].reduce<number>(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  );
}

/** What stands around the words of an option. */
const OPTION = '<option value=""></option>';

/** Where a schema's words would be repeated too often: the same part without them. */
function wordless(node: JsonObject, place: Place): FormNode {
  const { isPrivate } = common(node, place);
  return { ...jsonNode({}, place), ...onlyGiven({ isPrivate }) };
}

export const common = (node: JsonObject, { name, label, isRequired }: Place) => ({
  name,
  label: textOf(node, "title") ?? label,
  help: textOf(node, "description"),
  isRequired,
  ...onlyGiven({
    isPrivate: own(hintsOf(node), "private") === true || undefined,
    section: textOf(hintsOf(node), "section") ?? undefined,
  }),
});

export const jsonNode = (node: JsonObject, place: Place): FormNode => ({
  kind: "json",
  ...common(node, place),
});

/** Null for what has no drawing of its own. */
function nodeOf(
  build: Build,
  raw: Json | undefined,
  node: JsonObject,
  place: Place,
): FormNode | null {
  const base = common(node, place);
  const { value } = place;
  const file = fileNode(node, place);
  if (file !== null) return { ...base, ...file };
  if (own(node, "readOnly") === true && build.isReading !== true) {
    const read = nodeOf({ ...build, isReading: true }, raw, node, place);
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
function fileNode(node: JsonObject, { field }: Place) {
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
function variantsNode(build: Build, node: JsonObject, place: Place): FormNode | undefined {
  const given = own(node, "oneOf") ?? own(node, "anyOf");
  const options = listOf(given).filter((one) => !isNull(one));
  if (options.length === 0 || !options.every(saysWhat)) return undefined;
  const { oneOf: _, anyOf: __, ...rest } = node;
  const [only] = options;
  if (options.length === 1 && only !== undefined) {
    const merged = mergedWith(rest, resolved(build.root, only) ?? {});
    return nodeOf(build, merged, merged, place) ?? jsonNode(node, place);
  }
  // Fields that all variants share stand beside them, in the group around.
  if (own(rest, "properties") !== undefined) return undefined;
  if (place.depth <= 0) return jsonNode(node, place);
  return variantsOf(build, node, options, rest, place);
}

function arrayNode(build: Build, node: JsonObject, place: Place): FormNode | null {
  const { value, depth } = place;
  const items = own(node, "items");
  const min = numberOf(node, "minItems");
  const max = numberOf(node, "maxItems");
  const base = common(node, place);
  const tuple = listOf(own(node, "prefixItems"));
  if (tuple.length > 0) return depth <= 0 ? null : tupleNode(build, node, tuple, place);
  if (items === undefined || items === false || depth <= 0) return null;
  const item = resolved(build.root, items);
  if (item === null) return null;
  const options = choiceOptions(build, item);
  const preset = value === undefined ? own(node, "default") : undefined;
  const started = Array.isArray(preset) ? { initial: preset as Json } : {};
  const given = listOf(value ?? started.initial);
  if (options !== null && new Set(given.map(canonicalJson)).size === given.length) {
    const limit = max === undefined ? {} : { max };
    return { ...base, kind: "many", options, min: min ?? 0, ...limit, ...started };
  }
  if (given.length > LIMITS.formRows) return null;
  const rows = rowsFor(build, items, place, base.label, { given, min, max });
  return { ...base, kind: "list", ...rows, ...started };
}

function tupleNode(
  build: Build,
  node: JsonObject,
  tuple: readonly Json[],
  place: Place,
): FormNode | null {
  const given = listOf(place.value);
  if (given.length > tuple.length) return null;
  const base = common(node, place);
  const children = tuple.map((raw, index) => ({
    key: String(index),
    node: buildNode(build, raw, {
      name: inside(place.name, String(index)),
      label: `${base.label} ${index + 1}`,
      isRequired: index < (numberOf(node, "minItems") ?? 0),
      value: given[index],
      depth: place.depth - 1,
    }),
  }));
  return { ...base, kind: "group", children, isTuple: true };
}
