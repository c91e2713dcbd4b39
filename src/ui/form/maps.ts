/** Maps, whose keys the person types, and the rows of maps and lists. */
import { own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { buildNode, commonProps, type BuildContext, type NodeSlot } from "./build";
import { ROW_PLACEHOLDER, type FormNode, type Texts } from "./node";
import { numberOf, objectOf, requiredOf } from "./schema";

/** Null if the object is not a map, or has too many entries. */
export function mapNode(build: BuildContext, node: JsonObject, slot: NodeSlot): FormNode | null {
  const patterns = Object.values(objectOf(own(node, "patternProperties")) ?? {});
  const values = objectOf(own(node, "additionalProperties")) ?? patterns[0];
  if (values === undefined || requiredOf(node).length > 0) return null;
  const entries = Object.entries(objectOf(slot.value) ?? {});
  if (entries.length > LIMITS.formRows) return null;
  const base = commonProps(node, slot);
  const rows = rowsFor(build, values, slot, base.label, {
    values: entries.map(([, one]) => one),
    min: numberOf(node, "minProperties"),
    max: numberOf(node, "maxProperties"),
  });
  return { ...base, kind: "map", ...rows };
}

interface RowBounds {
  readonly values: readonly Json[];
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** A row for each value, and more if the schema requires them or the person added them. */
export function rowsFor(
  build: BuildContext,
  schema: Json,
  { name, depth }: NodeSlot,
  label: string,
  { values, min = 0, max = LIMITS.formRows }: RowBounds,
) {
  const rowAt = (index: number | typeof ROW_PLACEHOLDER, value: Json | undefined): FormNode =>
    buildNode(build, schema, {
      name: `${name}/${index}`,
      label,
      isRequired: false,
      value,
      depth: depth - 1,
    });
  const maxRows = Math.min(max, LIMITS.formRows);
  const count = Math.max(values.length, min, 1, countRows(build.texts, name));
  const rows = Array.from({ length: Math.min(count, maxRows) }, (_, index) =>
    rowAt(index, values[index]),
  );
  return { rows, template: rowAt(ROW_PLACEHOLDER, undefined), min, max: maxRows };
}

/** The number of rows in a posted form. */
export function countRows(texts: Texts | null, name: string): number {
  let rows = 0;
  for (const key of texts?.keys() ?? []) {
    if (!key.startsWith(`${name}/`)) continue;
    const index = /^\d+/.exec(key.slice(name.length + 1))?.[0];
    if (index !== undefined) rows = Math.max(rows, Number(index) + 1);
  }
  return Math.min(rows, LIMITS.formRows);
}
