/**
 * The meta-schema of JSON Schema 2020-12 without dynamic references, which the validator does not
 * support. It rejects malformed keywords, so that later validation cannot throw.
 */
import type { JsonObject } from "../domain/json";

const count: JsonObject = { type: "integer", minimum: 0 };
const number: JsonObject = { type: "number" };
const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const names: JsonObject = { type: "array", items: text, uniqueItems: true };
const schema: JsonObject = { $ref: "#" };
const schemas: JsonObject = { type: "array", items: schema, minItems: 1 };
const schemaMap: JsonObject = { type: "object", additionalProperties: schema };
const typeName: JsonObject = {
  enum: ["array", "boolean", "integer", "null", "number", "object", "string"],
};

export const META_SCHEMA: JsonObject = {
  type: ["object", "boolean"],
  properties: {
    $schema: text,
    $id: text,
    $ref: text,
    $anchor: text,
    $comment: text,
    $defs: schemaMap,
    definitions: schemaMap,
    title: text,
    description: text,
    deprecated: flag,
    readOnly: flag,
    writeOnly: flag,
    examples: { type: "array" },
    type: { anyOf: [typeName, { type: "array", items: typeName, minItems: 1, uniqueItems: true }] },
    enum: { type: "array" },
    format: text,
    contentEncoding: text,
    contentMediaType: text,
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    maximum: number,
    exclusiveMaximum: number,
    minimum: number,
    exclusiveMinimum: number,
    maxLength: count,
    minLength: count,
    pattern: text,
    maxItems: count,
    minItems: count,
    uniqueItems: flag,
    maxContains: count,
    minContains: count,
    maxProperties: count,
    minProperties: count,
    required: names,
    dependentRequired: { type: "object", additionalProperties: names },
    prefixItems: schemas,
    items: schema,
    contains: schema,
    unevaluatedItems: schema,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    properties: schemaMap,
    patternProperties: schemaMap,
    propertyNames: schema,
    dependentSchemas: schemaMap,
    if: schema,
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    then: schema,
    else: schema,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
  },
};
