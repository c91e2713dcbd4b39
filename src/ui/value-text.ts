/** A field's value as text for a person. */
import { canonicalJson, isJsonObject, own, type Json } from "../domain/json";
import { privateHashIn } from "../domain/session/private-values";
import { labelFor } from "./form/schema";
import type { Reader } from "./words/index";

export function fileIdOf(value: Json | undefined): string | null {
  const id = isJsonObject(value ?? null) ? own(value as never, "id") : value;
  return typeof id === "string" && /^upl_\d+$/.test(id) ? id : null;
}

export function fileNameOf(value: Json | undefined, { fileNames = {} }: TextReader): string {
  const name = isJsonObject(value ?? null) ? own(value as never, "name") : undefined;
  const id = fileIdOf(value) ?? "";
  return typeof name === "string" ? name : (own(fileNames, id) ?? (id || "file"));
}

/** The parts of the reader that a text needs. */
type TextReader = Pick<Reader, "words" | "fileNames">;

/** A value as one line of text. */
export function valueText(value: Json | undefined, reader: TextReader): string {
  const { words } = reader;
  if (value === undefined || value === "" || value === null) return words.page.none;
  if (typeof value === "boolean") return value ? words.page.yes : words.page.no;
  if (typeof value === "string") return value;
  if (privateHashIn(value) !== null) return words.page.hidden;
  if (fileIdOf(value) !== null) return fileNameOf(value, reader);
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((one) => valueText(one, reader)).join(", ");
  }
  if (!isJsonObject(value)) return canonicalJson(value);
  return Object.entries(value)
    .map(([key, entry]) => `${labelFor(key)}: ${valueText(entry, reader)}`)
    .join(", ");
}
