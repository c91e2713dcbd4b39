/** Resolves a reference inside a schema: `#` is the whole schema, `#/a/b` a part of it. */
import { tryDecodeUri } from "../domain/decode-uri";
import { isJsonObject, own, type Json, type JsonObject } from "../domain/json";

/** Undefined if there is nothing at that path. */
export function schemaAt(root: JsonObject, reference: string): Json | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  let target: Json | undefined = root;
  for (const raw of reference.split("/").slice(1)) {
    const key = tryDecodeUri(raw)?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (key === undefined) return undefined;
    if (Array.isArray(target)) target = /^\d+$/.test(key) ? target[Number(key)] : undefined;
    else target = isJsonObject(target) ? own(target, key) : undefined;
  }
  return target;
}
