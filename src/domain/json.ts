/** Plain JSON values and their canonical text. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Sorts keys and omits undefined members, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`);
    return `{${entries.join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

/** UTF-8 length of the value's JSON text. */
export const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value) ?? "");

const encoder = new TextEncoder();

export const utf8Bytes = (text: string): number => encoder.encode(text).length;

/** A UTF-16 unit is one to three bytes in UTF-8, so most texts can be decided without encoding them. */
export const exceedsUtf8Bytes = (text: string, limit: number): boolean =>
  text.length > limit || (text.length * 3 > limit && utf8Bytes(text) > limit);

/** Reads only own properties: a field named `constructor` must not find the prototype's. */
export const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** The items of a list, or no items if the value is not a list. */
export const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
