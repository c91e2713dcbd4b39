/** A field's value as text for a person. */
import type { Json } from "../domain/json";
import { canonicalJson, isJsonObject, own } from "../domain/json";
import { markIn } from "../domain/session/private";
import { labelFor } from "./form/schema";
import type { Words } from "./words/en";

export function fileIdOf(value: Json | undefined): string | null {
  const id = isJsonObject(value ?? null) ? own(value as never, "id") : value;
  return typeof id === "string" && /^upl_\d+$/.test(id) ? id : null;
}

export function fileNameOf(value: Json | undefined): string {
  const name = isJsonObject(value ?? null) ? own(value as never, "name") : value;
  return typeof name === "string" ? name : "file";
}

/** A value in a line of text. */
export function shownText(value: Json | undefined, words: Words): string {
  if (value === undefined || value === "" || value === null) return words.page.none;
  if (typeof value === "boolean") return value ? words.page.yes : words.page.no;
  if (typeof value === "string") return value;
  if (markIn(value) !== null) return words.page.hidden;
  if (fileIdOf(value) !== null) return fileNameOf(value);
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((one) => shownText(one, words)).join(", ");
  }
  if (!isJsonObject(value)) return canonicalJson(value);
  return Object.entries(value)
    .map(([key, entry]) => `${labelFor(key)}: ${shownText(entry, words)}`)
    .join(", ");
}
