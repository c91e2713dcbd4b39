/** Objects whose names the person gives, and how many rows of such a thing were typed. */
import { isJsonObject, own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { buildNode, common, type Build, type Place } from "./build";
import { ROW, type FormNode, type Texts } from "./node";
import { numberOf, objectOf, requiredOf } from "./schema";

/** Names that the person gives, each with a value. */
export function mapNode(build: Build, node: JsonObject, place: Place): FormNode | null {
  const { name, value, depth } = place;
  const patterns = Object.values(objectOf(own(node, "patternProperties")) ?? {});
  const values = objectOf(own(node, "additionalProperties")) ?? patterns[0];
  if (values === undefined || requiredOf(node).length > 0) return null;
  const entries = Object.entries(value !== undefined && isJsonObject(value) ? value : {});
  if (entries.length > LIMITS.formRows) return null;
  const base = common(node, place);
  const rowAt = (index: number | typeof ROW, one: Json | undefined): FormNode =>
    buildNode(build, values, {
      name: `${name}/${index}`,
      label: base.label,
      isRequired: false,
      value: one,
      depth: depth - 1,
    });
  const min = numberOf(node, "minProperties") ?? 0;
  const max = Math.min(numberOf(node, "maxProperties") ?? LIMITS.formRows, LIMITS.formRows);
  const count = Math.max(entries.length, min, 1, rowsIn(build.texts, name));
  const rows = Array.from({ length: Math.min(count, max) }, (_, index) =>
    rowAt(index, entries[index]?.[1]),
  );
  return { ...base, kind: "map", rows, template: rowAt(ROW, undefined), min, max };
}

/** Rows of a list that a form has sent. */
export function rowsIn(texts: Texts | null, name: string): number {
  let rows = 0;
  for (const key of texts?.keys() ?? []) {
    if (!key.startsWith(`${name}/`)) continue;
    const index = /^\d+/.exec(key.slice(name.length + 1))?.[0];
    if (index !== undefined) rows = Math.max(rows, Number(index) + 1);
  }
  return Math.min(rows, LIMITS.formRows);
}
