/** A field's value as text for a person. */
import type { Json } from "../domain/json";
import { canonicalJson, isJsonObject, own } from "../domain/json";
import type { FieldSpec } from "./fields";
import { PAGE } from "./words";

export function fileIdOf(value: Json | undefined): string | null {
  const id = isJsonObject(value ?? null) ? own(value as never, "id") : value;
  return typeof id === "string" && /^upl_\d+$/.test(id) ? id : null;
}

export function fileNameOf(value: Json | undefined): string {
  const name = isJsonObject(value ?? null) ? own(value as never, "name") : value;
  return typeof name === "string" ? name : "file";
}

export function textFor(spec: FieldSpec, value: Json | undefined): string {
  if (value === undefined) return "";
  if (spec.kind === "enum") return canonicalJson(value);
  if (spec.kind === "json") return JSON.stringify(value, null, 2);
  if (typeof value !== "string") return canonicalJson(value);
  return spec.kind === "date-time" ? value.replace(/^(.{16}):00(?:\.0+)?Z$/, "$1") : value;
}

/** A value in a line of text. */
export function shown(value: Json | undefined): string {
  if (value === undefined || value === "") return PAGE.empty;
  if (typeof value === "boolean") return value ? PAGE.yes : PAGE.no;
  if (typeof value === "string") return value;
  if (fileIdOf(value) !== null) return fileNameOf(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(shown).join(", ");
  if (!isJsonObject(value)) return canonicalJson(value);
  return Object.entries(value)
    .map(([key, entry]) => `${key}: ${shown(entry)}`)
    .join(", ");
}
