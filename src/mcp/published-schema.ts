/**
 * A tool's schema as `tools/list` shows it, generated from zod and limited to the part of JSON Schema
 * that every client reads. Definitions are inlined, because not every client follows `$ref`. A type is
 * a single type, because not every client accepts a list. Redundant parts are left out, because the
 * whole list is read into a model's context.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";

interface Node {
  readonly [keyword: string]: unknown;
}

/** It does not validate: call-tool.ts does, so that a refusal has our code. */
export function publishInputSchema(input: z.ZodObject): StandardSchemaWithJSON<unknown> {
  let schema: Node | undefined;
  return toStandardSchema(() => (schema ??= toJsonSchema(input)));
}

/** A result explains itself. Beforehand it is enough to know that it contains a token. */
export const publishOutputSchema = (hasHandle: boolean): StandardSchemaWithJSON<unknown> =>
  toStandardSchema(() => (hasHandle ? WITH_HANDLE : { type: "object" }));

/** Not required: the result for a spent token, or for a key, has none. */
const WITH_HANDLE = { type: "object", properties: { resume_token: { type: "string" } } };

/** It never refuses a value: after a write, the next token would be lost with the result. */
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

/** Keywords whose values map names to schemas. */
const MAP_KEYWORDS = new Set(["properties"]);
/** Rarely used and long. The documentation describes them, and a refusal names a wrong member. */
const OPAQUE_MEMBERS = new Set(["policy", "bind", "events"]);
/**
 * Accepted, but shown only with a description: cross-checks, aliases, and an actor's kind, which the
 * server sets and which is not "agent" for a person.
 */
const HIDDEN_MEMBERS = new Set(["session_id", "sessionId", "resumeToken", "kind"]);
const LIST_KEYWORDS = new Set(["anyOf", "allOf", "oneOf"]);
const SINGLE_KEYWORDS = new Set(["items", "additionalProperties"]);

function toPortableSchema(schema: Node, definitions: Readonly<Record<string, Node>>): Node {
  const { node, nullable } = splitNull(resolveRef(schema, definitions));
  const inner = (child: unknown) => toPortableSchema(child as Node, definitions);
  const member = (child: unknown) =>
    inner(isUnconstrained(child as Node) ? allowAnyType(child as Node) : child);
  const entries = Object.entries(node).filter(([name, value]) => !isNoise(name, value));
  const result = Object.fromEntries(
    entries.map(([name, value]) => {
      if (MAP_KEYWORDS.has(name)) {
        const members = Object.entries(value as Node);
        const shown = members
          .filter(([key, child]) => !HIDDEN_MEMBERS.has(key) || "description" in (child as Node))
          .map(([key, child]) => [
            key,
            // The events of an append are a list.
            OPAQUE_MEMBERS.has(key) && (child as Node)["type"] !== "array"
              ? toOpaqueObject(child as Node)
              : member(child),
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

/** Inlines the definition of a reference. No definition refers to itself. */
function resolveRef(node: Node, definitions: Readonly<Record<string, Node>>): Node {
  const { $ref, ...siblings } = node;
  if (typeof $ref !== "string") return node;
  const { id: _, ...definition } = definitions[$ref.replace("#/$defs/", "")] ?? {};
  return { ...resolveRef(definition, definitions), ...siblings };
}

function splitNull(node: Node): { node: Node; nullable: boolean } {
  if (!Array.isArray(node["type"])) return { node, nullable: false };
  const type = node["type"].find((one) => one !== "null");
  return { node: { ...node, type }, nullable: node["type"].includes("null") };
}

const isUnconstrained = (node: Node): boolean =>
  Object.keys(node).every((name) => name === "description" || name === "default");

/** Lists all types for a member of any type, because not every client accepts a schema without a type. */
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

/** Keywords that clients need not see. The server checks arguments anyway. */
function isNoise(name: string, value: unknown): boolean {
  // A tool removes a description with an empty text, to keep the list short.
  if (name === "description" && value === "") return true;
  // A refusal of an out-of-range value names the bound.
  if (BOUND_KEYWORDS.has(name)) return true;
  switch (name) {
    // Dialects of patterns differ, and some clients refuse a list with a pattern they cannot read.
    case "pattern":
    case "propertyNames":
      return true;
    case "additionalProperties":
      // A refusal names an unknown member.
      return value === false;
    default:
      return false;
  }
}
