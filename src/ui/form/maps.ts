/** Objects whose names the person gives, and how many rows of such a thing were typed. */
import { own, type Json, type JsonObject } from "../../domain/json";
import { LIMITS } from "../../domain/limits";
import { buildNode, common, type Build, type Place } from "./build";
import { ROW, type FormNode, type Texts } from "./node";
import { numberOf, objectOf, requiredOf } from "./schema";

/** Names that the person gives, each with a value. */
export function mapNode(build: Build, node: JsonObject, place: Place): FormNode | null {
  const patterns = Object.values(objectOf(own(node, "patternProperties")) ?? {});
  const values = objectOf(own(node, "additionalProperties")) ?? patterns[0];
  if (values === undefined || requiredOf(node).length > 0) return null;
  const entries = Object.entries(objectOf(place.value) ?? {});
  if (entries.length > LIMITS.formRows) return null;
  const base = common(node, place);
  const rows = rowsFor(build, values, place, base.label, {
    given: entries.map(([, one]) => one),
    min: numberOf(node, "minProperties"),
    max: numberOf(node, "maxProperties"),
  });
  return { ...base, kind: "map", ...rows };
}

interface Bounds {
  readonly given: readonly Json[];
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** A row for each that is there, and as many more as the schema or the person wants. */
export function rowsFor(
  build: Build,
  schema: Json,
  { name, depth }: Place,
  label: string,
  { given, min = 0, max = LIMITS.formRows }: Bounds,
) {
  const rowAt = (index: number | typeof ROW, value: Json | undefined): FormNode =>
    buildNode(build, schema, {
      name: `${name}/${index}`,
      label,
      isRequired: false,
      value,
      depth: depth - 1,
    });
  const most = Math.min(max, LIMITS.formRows);
  const count = Math.max(given.length, min, 1, rowsIn(build.texts, name));
  const rows = Array.from({ length: Math.min(count, most) }, (_, index) =>
    rowAt(index, given[index]),
  );
  return { rows, template: rowAt(ROW, undefined), min, max: most };
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
