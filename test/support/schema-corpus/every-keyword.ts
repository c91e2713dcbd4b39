/** Our own schemas with valid values: each keyword at least once, then combinations. */
import {
  array,
  boolean,
  constantFrom,
  double,
  integer,
  letrec,
  nat,
  oneof,
  sample,
  string,
  tuple,
  uniqueArray,
  type Arbitrary,
} from "fast-check";
import type { Json } from "../../../src/domain/json.ts";
import { asField, type Case } from "./suite.ts";

type Pair = readonly [schema: Json, value: Json];

const text = { type: "string" };

/** Each keyword of JSON Schema 2020-12 that a session's schema may have. */
const KEYWORDS: Readonly<Record<string, readonly Pair[]>> = {
  $comment: [[{ $comment: "for maintainers", ...text }, "x"]],
  $defs: [[{ $defs: { a: text }, $ref: "#/$defs/a" }, "x"]],
  $ref: [
    [
      {
        $defs: { n: { type: "object", properties: { next: { $ref: "#/$defs/n" }, v: text } } },
        $ref: "#/$defs/n",
      },
      { v: "1", next: { v: "2", next: { v: "3" } } },
    ],
  ],
  allOf: [
    [{ allOf: [text, { minLength: 2 }, { maxLength: 4 }] }, "abc"],
    [
      { allOf: [{ type: "object", properties: { a: text } }, { properties: { b: text } }] },
      { a: "1", b: "2" },
    ],
  ],
  anyOf: [
    [{ anyOf: [text, { type: "number" }] }, 5],
    [{ type: "object", properties: { a: text }, anyOf: [{ required: ["a"] }, {}] }, { a: "1" }],
  ],
  oneOf: [
    [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "b"],
    [
      {
        oneOf: [
          { type: "object", properties: { kind: { const: "x" }, size: { type: "integer" } } },
          { type: "object", properties: { kind: { const: "y" }, name: text }, required: ["name"] },
        ],
      },
      { kind: "y", name: "Ada" },
    ],
  ],
  not: [[{ ...text, not: { const: "no" } }, "yes"]],
  if: [
    [
      {
        type: "object",
        properties: { country: { enum: ["NO", "SE"] } },
        if: { properties: { country: { const: "NO" } }, required: ["country"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { region: text }, required: ["region"] },
        else: { properties: { county: text } },
      },
      { country: "NO", region: "Viken" },
    ],
  ],
  dependentSchemas: [
    [
      {
        type: "object",
        properties: { card: text },
        dependentSchemas: { card: { properties: { owner: text }, required: ["owner"] } },
      },
      { card: "1", owner: "Ada" },
    ],
  ],
  dependentRequired: [
    [
      { type: "object", properties: { a: text, b: text }, dependentRequired: { a: ["b"] } },
      { a: "1", b: "2" },
    ],
  ],
  prefixItems: [[{ prefixItems: [text, { type: "integer" }], items: false }, ["x", 1]]],
  items: [[{ type: "array", items: { type: "integer" } }, [1, 2, 3]]],
  contains: [
    [{ type: "array", items: text, contains: { const: "x" }, minContains: 1 }, ["x", "y"]],
  ],
  maxContains: [[{ type: "array", items: text, contains: { const: "x" }, maxContains: 1 }, ["x"]]],
  uniqueItems: [[{ type: "array", items: text, uniqueItems: true }, ["b", "a"]]],
  minItems: [[{ type: "array", items: text, minItems: 2, maxItems: 3 }, ["a", "b"]]],
  unevaluatedItems: [[{ prefixItems: [text], unevaluatedItems: { type: "integer" } }, ["a", 1]]],
  properties: [[{ properties: { a: text } }, { a: "x", b: [1, { c: null }] }]],
  required: [[{ type: "object", properties: { a: text }, required: ["a"] }, { a: "x" }]],
  patternProperties: [
    [
      { type: "object", patternProperties: { "^a": { type: "integer" } } },
      { a1: 1, b: "x" },
    ],
  ],
  additionalProperties: [
    [
      { type: "object", additionalProperties: { type: "number" } },
      { one: 1, two: 2.5 },
    ],
    [{ type: "object", properties: { a: text }, additionalProperties: false }, { a: "x" }],
  ],
  unevaluatedProperties: [
    [{ type: "object", properties: { a: text }, unevaluatedProperties: false }, { a: "x" }],
  ],
  propertyNames: [
    [{ type: "object", propertyNames: { maxLength: 3 }, additionalProperties: text }, { abc: "x" }],
  ],
  minProperties: [
    [
      { type: "object", additionalProperties: text, minProperties: 1, maxProperties: 2 },
      { a: "x" },
    ],
  ],
  type: [
    [{ type: ["string", "null"] }, "x"],
    [{ type: ["string", "number", "boolean"] }, 5],
    [{ type: "boolean" }, false],
    [{ type: "object" }, {}],
    [{ type: "array" }, []],
    [{}, { any: ["thing", 1, null, true] }],
    [true, "anything"],
  ],
  enum: [
    [{ enum: ["a", 1, true, null, { b: 1 }, ["c"]] }, { b: 1 }],
    [{ type: "array", items: { enum: ["x", "y", "z"] } }, ["z", "x"]],
  ],
  const: [
    [{ const: "fixed" }, "fixed"],
    [{ const: true }, true],
    [{ const: { deep: [1] } }, { deep: [1] }],
  ],
  multipleOf: [[{ type: "number", multipleOf: 0.01 }, 19.99]],
  minimum: [[{ type: "integer", minimum: -5, maximum: 5 }, -3]],
  exclusiveMinimum: [[{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 1e-7]],
  minLength: [[{ ...text, minLength: 1, maxLength: 400 }, "two\nlines"]],
  pattern: [[{ ...text, pattern: "^[A-Z]{2}\\d+$" }, "AB12"]],
  format: (
    [
      ["date", "2027-02-28"],
      ["time", "10:20:30Z"],
      ["date-time", "2027-02-28T10:20:30.5+02:00"],
      ["date-time", "2027-02-28T10:20:00Z"],
      ["duration", "P1D"],
      ["email", "a@example.com"],
      ["uri", "https://example.com/?q=1#x"],
      ["uri", "urn:isbn:0451450523"],
      ["uri-reference", "../a"],
      ["iri", "https://exämple.com/"],
      ["hostname", "example.com"],
      ["ipv4", "127.0.0.1"],
      ["ipv6", "::1"],
      ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
      ["json-pointer", "/a/b"],
      ["regex", "^a$"],
      ["markdown", "# Title\n\n*text*"],
      ["password", "pass word"],
      ["tel", "+47 22 00 00 00"],
      ["color", "#00ff00"],
      ["textarea", "long\ntext"],
      ["of-our-own", " spaces around "],
    ] as const
  ).map(([format, value]): Pair => [{ ...text, format }, value]),
  default: [
    [{ type: "integer", default: 3 }, 7],
    [{ type: "boolean", default: true }, false],
    [{ enum: ["a", "b"], default: "a" }, "b"],
  ],
  readOnly: [[{ ...text, readOnly: true }, "as it is"]],
  writeOnly: [[{ ...text, writeOnly: true }, "x"]],
  deprecated: [[{ ...text, deprecated: true }, "x"]],
  examples: [[{ ...text, examples: ["for example"] }, "x"]],
  title: [[{ ...text, title: "A title", description: "With a description" }, "x"]],
  contentEncoding: [
    [{ ...text, contentEncoding: "base64", contentMediaType: "image/png" }, "eA=="],
  ],
  "x-baton": [[{ type: "number", "x-baton": { unit: "kg" } }, 12.5]],
};

export const keywordCases = (): readonly Case[] =>
  Object.entries(KEYWORDS).flatMap(([keyword, pairs]) =>
    pairs.map(([schema, value], index) => ({
      name: `${keyword} ${index + 1}`,
      schema: asField(schema),
      fields: { value },
    })),
  );

const leaf: Arbitrary<Pair> = oneof(
  string({ unit: "grapheme", maxLength: 20 }).map((value): Pair => [text, value]),
  string({ unit: "grapheme", maxLength: 20 }).map(
    (value): Pair => [{ ...text, maxLength: 300 }, `${value}\n${value}`],
  ),
  integer().map((value): Pair => [{ type: "integer" }, value]),
  double({ noNaN: true, noDefaultInfinity: true }).map(
    (value): Pair => [{ type: "number" }, value === 0 ? 0 : value],
  ),
  boolean().map((value): Pair => [{ type: "boolean" }, value]),
  constantFrom(...Object.values(KEYWORDS).flat()).filter(([schema]) => !hasReference(schema)),
);

const hasReference = (schema: Json): boolean => JSON.stringify(schema).includes("$ref");

const key = oneof(
  constantFrom("name", "first name", "a/b", "a=1", "a@b", "ünï", "constructor", "0"),
  string({ minLength: 1, maxLength: 8 }).filter((one) => one !== "__proto__"),
);

/** Nested objects, lists, maps, variants and conditions. */
const { pair } = letrec<{ pair: Pair; inner: Pair }>((tie) => ({
  inner: oneof({ depthSize: "small" }, leaf, tie("pair")),
  pair: oneof(
    uniqueArray(tuple(key, tie("inner")), { maxLength: 4, selector: ([one]) => one }).map(
      (parts): Pair => [
        {
          type: "object",
          properties: Object.fromEntries(parts.map(([one, [schema]]) => [one, schema])),
          required: parts.slice(0, 1).map(([one]) => one),
        },
        Object.fromEntries(parts.map(([one, [, value]]) => [one, value])),
      ],
    ),
    tuple(tie("inner"), nat({ max: 3 })).map(
      ([[items, value], count]): Pair => [
        { type: "array", items },
        Array.from({ length: count }, () => value),
      ],
    ),
    uniqueArray(key, { maxLength: 3 }).chain((keys) =>
      tie("inner").map(
        ([schema, value]): Pair => [
          { type: "object", additionalProperties: schema },
          Object.fromEntries(keys.map((one) => [one, value])),
        ],
      ),
    ),
    array(tie("inner"), { minLength: 1, maxLength: 3 }).map(
      (parts): Pair => [
        { type: "array", prefixItems: parts.map(([schema]) => schema) },
        parts.map(([, value]) => value),
      ],
    ),
    array(tie("inner"), { minLength: 2, maxLength: 3 }).map(
      (parts): Pair => [{ anyOf: parts.map(([schema]) => schema) }, parts[0]?.[1] ?? null],
    ),
  ),
}));

export const generatedCases = (count: number, seed: number): readonly Case[] =>
  sample(pair as Arbitrary<Pair>, { numRuns: count, seed }).map(([schema, value], index) => ({
    name: `generated ${index} of seed ${seed}`,
    schema: asField(schema),
    fields: value === null ? {} : { value },
  }));
