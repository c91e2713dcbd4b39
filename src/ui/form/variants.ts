/** Values that have one of several shapes: finds the shape of a value and builds a node for each. */
import { own, type Json, type JsonObject } from "../../domain/json";
import { validateValue } from "../../json-schema/schema-validator";
import { buildNode, commonProps, jsonNode, type BuildContext, type NodeSlot } from "./build";
import { variantName, type FormNode, type Variant } from "./node";
import { labelFor, mergeSchemas, objectOf, resolveSchema, textOf, typesOf } from "./schema";

/** Validation steps for matching a value with one variant. */
const MAX_MATCH_STEPS = 20_000;

const matchesSchema = ({ root }: BuildContext, schema: JsonObject, value: Json): boolean => {
  const { problems, exhaustedAt } = validateValue(root, schema, value, MAX_MATCH_STEPS);
  return problems.length === 0 && exhaustedAt === null;
};

export function variantsOf(
  build: BuildContext,
  node: JsonObject,
  options: readonly Json[],
  rest: JsonObject,
  slot: NodeSlot,
): FormNode {
  const { value, name } = slot;
  const schemas = options.map((one) => mergeSchemas(rest, resolveSchema(build.root, one) ?? {}));
  const found =
    value === undefined ? null : schemas.findIndex((one) => matchesSchema(build, one, value));
  if (found === -1) return jsonNode(node, slot);
  const typed = build.texts?.get(name);
  const chosen = typed === undefined || typed === "" ? found : Number(typed);
  const variants = schemas.map((schema, index): Variant => {
    const label = textOf(schema, "title") ?? labelOfVariant(build, schema, index);
    return {
      label,
      help: textOf(schema, "description"),
      schema,
      node: buildNode(
        build,
        { ...schema, title: label },
        {
          name: variantName(name, index),
          label,
          isRequired: true,
          value: index === found ? value : undefined,
          depth: slot.depth - 1,
        },
      ),
    };
  });
  return { ...commonProps(node, slot), kind: "variants", options: variants, chosen };
}

/** The variant's first constant as a label, else its type and index. */
function labelOfVariant(build: BuildContext, schema: JsonObject, index: number): string {
  const properties = objectOf(own(schema, "properties")) ?? {};
  for (const raw of Object.values(properties)) {
    const property = resolveSchema(build.root, raw);
    const constant = property === null ? undefined : own(property, "const");
    if (typeof constant === "string") return labelFor(constant);
  }
  const [type] = typesOf(schema);
  return type === undefined ? String(index + 1) : `${labelFor(type)} (${index + 1})`;
}
