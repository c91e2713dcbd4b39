/**
 * A tool's schema as `tools/list` shows it: made from its zod definition, and kept to the part of
 * JSON Schema that every client reads. Definitions stand where they are used, because not every
 * client follows `$ref`; a type is one type, because not every client takes a list of them; what only
 * repeats itself is left out, because the whole list is read into a model's context.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";

interface Node {
  readonly [keyword: string]: unknown;
}

/** Arguments are checked where every face checks them, so that what is wrong is told with its code. */
export function publishInputSchema(input: z.ZodObject): StandardSchemaWithJSON<unknown> {
  let made: Node | undefined;
  return toStandardSchema(() => (made ??= toJsonSchema(input)));
}

/** An answer explains itself when it comes: before that, it is enough to know of the handle in it. */
export const publishOutputSchema = (hasHandle: boolean): StandardSchemaWithJSON<unknown> =>
  toStandardSchema(() => (hasHandle ? WITH_HANDLE : { type: "object" }));

/** Not required: an answer to a spent token, or to a key, has none. */
const WITH_HANDLE = { type: "object", properties: { resume_token: { type: "string" } } };

/** Never refuses by itself: after a write the next token would be lost with the answer. */
const toStandardSchema = (convert: () => Node): StandardSchemaWithJSON<unknown> => ({
  "~standard": {
    version: 1,
    vendor: "baton",
    validate: (value) => ({ value }),
    jsonSchema: { input: convert, output: convert },
  },
});

function toJsonSchema(schema: z.ZodObject): Node {
  const { $defs, $schema: _, ...root } = z.toJSONSchema(schema, { io: "input" }) as Node;
  return toPortableSchema(root, ($defs ?? {}) as Readonly<Record<string, Node>>);
}

/** Keywords whose values are names and the schemas behind them. */
const MAP_KEYWORDS = new Set(["properties"]);
/** Seldom given and long: what stands in them is in the documents, and a wrong member is named. */
const OPAQUE_MEMBERS = new Set(["policy", "bind"]);
/**
 * Taken where they are given, and shown only with words: cross-checks, other names of what is there,
 * and an actor's kind, which the server sets and which is not "agent" for a person.
 */
const HIDDEN_MEMBERS = new Set(["session_id", "sessionId", "resumeToken", "kind"]);
const LIST_KEYWORDS = new Set(["anyOf", "allOf", "oneOf"]);
const SINGLE_KEYWORDS = new Set(["items", "additionalProperties"]);

function toPortableSchema(given: Node, definitions: Readonly<Record<string, Node>>): Node {
  const { node, nullable } = splitNull(resolveRef(given, definitions));
  const inner = (child: unknown) => toPortableSchema(child as Node, definitions);
  const member = (child: unknown) =>
    inner(isUnconstrained(child as Node) ? allowAnyType(child as Node) : child);
  const kept = Object.entries(node).filter(([name, value]) => !isNoise(name, value));
  const result = Object.fromEntries(
    kept.map(([name, value]) => {
      if (MAP_KEYWORDS.has(name)) {
        const members = Object.entries(value as Node);
        const shown = members
          .filter(([key, child]) => !HIDDEN_MEMBERS.has(key) || "description" in (child as Node))
          .map(([key, child]) => [
            key,
            OPAQUE_MEMBERS.has(key) ? toOpaqueObject(child as Node) : member(child),
          ]);
        return [name, Object.fromEntries(shown)];
      }
      if (LIST_KEYWORDS.has(name)) return [name, (value as unknown[]).map(inner)];
      if (!SINGLE_KEYWORDS.has(name) || typeof value === "boolean") return [name, value];
      return [name, isUnconstrained(value as Node) ? true : inner(value)];
    }),
  );
  if (!nullable) return result;
  const { description, ...type } = result;
  const anyOf = [type, { type: "null" }];
  return description === undefined ? { anyOf } : { anyOf, description };
}

const toOpaqueObject = ({ description }: Node): Node =>
  description === undefined ? { type: "object" } : { type: "object", description };

/** The definition behind a reference, in its place. None refers to itself. */
function resolveRef(node: Node, definitions: Readonly<Record<string, Node>>): Node {
  const { $ref, ...beside } = node;
  if (typeof $ref !== "string") return node;
  const { id: _, ...definition } = definitions[$ref.replace("#/$defs/", "")] ?? {};
  return { ...resolveRef(definition, definitions), ...beside };
}

function splitNull(node: Node): { node: Node; nullable: boolean } {
  if (!Array.isArray(node["type"])) return { node, nullable: false };
  const type = node["type"].find((one) => one !== "null");
  return { node: { ...node, type }, nullable: node["type"].includes("null") };
}

const isUnconstrained = (node: Node): boolean =>
  Object.keys(node).every((name) => name === "description" || name === "default");

/** A member that may be anything, spelled out: not every client takes a schema without a type. */
const allowAnyType = (node: Node): Node => ({
  ...node,
  anyOf: [
    { type: "object", additionalProperties: true },
    ...["array", "string", "number", "boolean", "null"].map((type) => ({ type })),
  ],
});

const BOUND_KEYWORDS = new Set([
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
]);

/** What clients need not be told: the server checks arguments all the same. */
function isNoise(name: string, value: unknown): boolean {
  // Words that a tool took away, to keep the list short.
  if (name === "description" && value === "") return true;
  // A number past its bounds is refused with the bound: it need not be read beforehand.
  if (BOUND_KEYWORDS.has(name)) return true;
  switch (name) {
    // Dialects of patterns differ, and some clients refuse a list with one they cannot read.
    case "pattern":
    case "propertyNames":
      return true;
    case "additionalProperties":
      // What an argument has too much of is refused by name.
      return value === false;
    default:
      return false;
  }
}
