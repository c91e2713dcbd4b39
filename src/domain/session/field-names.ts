/** Which names of fields a schema has, and which it does not. */
import { documentNodes, documentProperties } from "../../json-schema/document-properties";
import { isJsonObject, own, type JsonObject } from "../json";

interface Strangers {
  readonly unknown: readonly string[];
  readonly known: readonly string[];
}

/** JSON Schema lets these names pass, though no property has them; none where others are meant too. */
export function strangersTo(schema: JsonObject, names: readonly string[]): Strangers {
  const known = [...new Set(documentProperties(schema, true).map(([name]) => name))];
  const isClosed = known.length > 0 && !describesOthers(schema);
  const unknown = isClosed ? names.filter((name) => !known.includes(name)) : [];
  return { unknown: [...new Set(unknown)], known };
}

const OTHERS = ["patternProperties", "additionalProperties", "unevaluatedProperties"];

const describesOthers = (schema: JsonObject): boolean =>
  documentNodes(schema).some((node) =>
    OTHERS.some((keyword) => isJsonObject(own(node, keyword) ?? null)),
  );
