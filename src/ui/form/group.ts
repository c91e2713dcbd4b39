/** The children of an object: its properties, its conditional parts and its variants. */
import { canonicalJson, listOf, own, type Json, type JsonObject } from "../../domain/json";
import { buildNode, type BuildContext, type NodeSlot } from "./build";
import { childName, type Child, type FormNode, type InputMatch } from "./node";
import {
  isNull,
  labelFor,
  objectOf,
  requiredOf,
  resolveSchema,
  describesType,
  spendOnSchema,
} from "./schema";
import { schemaAt } from "../../json-schema/schema-pointer";
import { variantsOf } from "./variants";

const MAX_HOPS = 8;

/** Null for an object without named properties. */
export function groupChildren(
  build: BuildContext,
  raw: Json | undefined,
  node: JsonObject,
  slot: NodeSlot,
  without: ReadonlySet<string> = new Set(),
): readonly Child[] | null {
  const properties = objectOf(own(node, "properties")) ?? {};
  const options = listOf(own(node, "oneOf") ?? own(node, "anyOf")).filter((one) => !isNull(one));
  const hasVariants = options.length > 1 && options.every(describesType);
  const discriminators = hasVariants ? sharedConstants(build, options) : new Set<string>();
  const keys = Object.keys(properties).filter(
    (key) => !discriminators.has(key) && !without.has(key),
  );
  const conditions = conditionsOf(build.root, raw);
  if (keys.length === 0 && !hasVariants && conditions.length === 0) {
    const isEmpty =
      own(node, "additionalProperties") === false &&
      own(node, "patternProperties") === undefined &&
      without.size === 0;
    return isEmpty ? [] : null;
  }
  const required = requiredOf(node);
  const values = objectOf(slot.value) ?? {};
  const children = keys.map(
    (key): Child => ({
      key,
      node: buildNode(build, properties[key], {
        name: childName(slot.name, key),
        label: labelFor(key),
        isRequired: required.includes(key),
        value: own(values, key),
        depth: slot.depth - 1,
        ...(slot.name === "f" ? { field: key } : {}),
      }),
    }),
  );
  const usedKeys = new Set([...without, ...keys]);
  const branches = conditions.map((one, index) => ({
    after: lastReferencedKey(one.condition, keys),
    parts: conditionalChildren(build, one, index, slot, usedKeys, children),
  }));
  const partsAfter = (key: string | undefined): readonly Child[] =>
    branches.flatMap(({ after, parts }) => (after === key ? parts : []));
  return [
    ...children.flatMap((child) => [child, ...partsAfter(child.key)]),
    ...(hasVariants ? [variantsChild(build, node, options, slot)] : []),
    ...partsAfter(undefined),
  ];
}

/** The last property that a condition refers to. The conditional part is placed below it. */
function lastReferencedKey(condition: JsonObject, keys: readonly string[]): string | undefined {
  const named = new Set([
    ...Object.keys(objectOf(own(condition, "properties")) ?? {}),
    ...requiredOf(condition),
  ]);
  return keys.findLast((key) => named.has(key));
}

/** Properties that are constants in every variant: choosing a variant sets them. */
function sharedConstants({ root }: BuildContext, options: readonly Json[]): ReadonlySet<string> {
  const [first, ...rest] = options.map((raw) => {
    const properties = objectOf(own(resolveSchema(root, raw) ?? {}, "properties")) ?? {};
    return Object.keys(properties).filter((key) => {
      const property = resolveSchema(root, properties[key]);
      return property !== null && own(property, "const") !== undefined;
    });
  });
  return new Set((first ?? []).filter((key) => rest.every((keys) => keys.includes(key))));
}

/** The parts of each variant, without the properties that all variants share. */
function variantsChild(
  build: BuildContext,
  node: JsonObject,
  options: readonly Json[],
  slot: NodeSlot,
): Child {
  const shared = new Set(Object.keys(objectOf(own(node, "properties")) ?? {}));
  const discriminators = sharedConstants(build, options);
  const ownParts = options.map((raw): JsonObject => {
    const option = resolveSchema(build.root, raw) ?? {};
    const properties = Object.entries(objectOf(own(option, "properties")) ?? {}).filter(
      ([key]) => !shared.has(key) || discriminators.has(key),
    );
    return { ...option, type: "object", properties: Object.fromEntries(properties) };
  });
  const values = objectOf(slot.value) ?? {};
  const which: NodeSlot = {
    name: `${slot.name}/@which`,
    label: "",
    isRequired: true,
    value: Object.keys(values).length === 0 ? undefined : slot.value,
    depth: slot.depth,
  };
  return { key: "", node: variantsOf(build, {}, ownParts, {}, which) };
}

interface ConditionalSchemas {
  readonly condition: JsonObject;
  readonly applied: Json | undefined;
  readonly otherwise: Json | undefined;
}

/** The conditions of a node and of the schemas that it refers to. */
function conditionsOf(
  root: JsonObject,
  raw: Json | undefined,
  hops = MAX_HOPS,
): readonly ConditionalSchemas[] {
  const node = objectOf(raw);
  if (node === null || hops === 0 || !spendOnSchema(root, Object.keys(node).length)) return [];
  const reference = own(node, "$ref");
  const target = typeof reference === "string" ? schemaAt(root, reference) : undefined;
  const condition = objectOf(own(node, "if"));
  const dependent = objectOf(own(node, "dependentSchemas")) ?? {};
  return [
    ...(target === undefined ? [] : conditionsOf(root, target, hops - 1)),
    ...listOf(own(node, "allOf")).flatMap((part) => conditionsOf(root, part, hops - 1)),
    ...(condition === null
      ? []
      : [{ condition, applied: own(node, "then"), otherwise: own(node, "else") }]),
    ...Object.entries(dependent).map(([key, applied]) => ({
      condition: { required: [key] },
      applied,
      otherwise: undefined,
    })),
  ];
}

function conditionalChildren(
  build: BuildContext,
  { condition, applied, otherwise }: ConditionalSchemas,
  index: number,
  slot: NodeSlot,
  usedKeys: ReadonlySet<string>,
  siblings: readonly Child[],
): readonly Child[] {
  const branches = [
    { raw: applied, isElse: false },
    { raw: otherwise, isElse: true },
  ];
  return branches.flatMap(({ raw, isElse }) => {
    const node = raw === undefined ? null : resolveSchema(build.root, raw);
    if (node === null) return [];
    const name = `${slot.name}/@${isElse ? "else" : "then"}${index}`;
    const children = groupChildren(build, raw, node, { ...slot, name }, usedKeys);
    if (children === null || children.length === 0) return [];
    const when: FormNode = {
      kind: "when",
      name,
      label: "",
      help: null,
      isRequired: false,
      condition,
      isElse,
      inputMatches: inputMatchesOf(condition, siblings),
      children,
    };
    return [{ key: "", node: when }];
  });
}

const SIMPLE_KEYWORDS = new Set(["properties", "required", "type"]);

/** Null if the condition cannot be decided from the texts of single inputs. */
function inputMatchesOf(
  condition: JsonObject,
  siblings: readonly Child[],
): readonly InputMatch[] | null {
  if (!Object.keys(condition).every((key) => SIMPLE_KEYWORDS.has(key))) return null;
  const properties = objectOf(own(condition, "properties")) ?? {};
  const names = new Set([...Object.keys(properties), ...requiredOf(condition)]);
  const matches = [...names].map((key): InputMatch | null => {
    const node = siblings.find((child) => child.key === key)?.node;
    if (node === undefined) return null;
    const rule = objectOf(own(properties, key)) ?? {};
    if (Object.keys(rule).some((word) => word !== "const" && word !== "enum")) return null;
    const values = Object.hasOwn(rule, "const")
      ? [rule["const"] ?? null]
      : listOf(own(rule, "enum"));
    const { name, label } = node;
    switch (node.kind) {
      case "choice":
        return {
          name,
          label,
          texts: values.map(canonicalJson),
          labels: values.map(
            (value) =>
              node.options.find((one) => canonicalJson(one.value) === canonicalJson(value))
                ?.label ?? String(value),
          ),
        };
      case "check":
      case "text":
        return { name, label, texts: values.map(String), labels: values.map(String) };
      default:
        return null;
    }
  });
  const known = matches.filter((match) => match !== null);
  return known.length === 0 || known.length < matches.length ? null : known;
}
