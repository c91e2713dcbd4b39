/** Slow schemas: refused when they are set, or stopped after a counted number of steps. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/domain/json";
import { LIMITS } from "../../../src/domain/limits";
import { privateFields, privateProblem } from "../../../src/json-schema/private-schema";
import { schemaProblem } from "../../../src/json-schema/schema-check";
import { COST } from "../../../src/json-schema/validation-run";
import { checkValues, checkDocument } from "../../../src/domain/session/validation";

const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const ended = { field: "x", problem: "invalid", message: expect.stringContaining("5000000 steps") };

/** Each definition refers to the next one `times` times. */
const doubling = (levels: number, times: number): JsonObject => ({
  $defs: Object.fromEntries(
    numbered(levels, (n) => [
      `d${n}`,
      n === levels - 1
        ? { type: "string" }
        : { anyOf: numbered(times, () => ({ $ref: `#/$defs/d${n + 1}` })) },
    ]),
  ),
  properties: { x: { $ref: "#/$defs/d0" } },
});

/** One value under `weight` keywords: its own schema, and parts of one keyword each. */
const weighing = (weight: number): JsonObject => ({
  properties: { x: { required: numbered(weight - 2, (n) => `n${n}`) } },
});
const chained = (length: number): JsonObject => ({
  $defs: Object.fromEntries(
    numbered(length, (n) => [`d${n}`, n === length - 1 ? {} : { $ref: `#/$defs/d${n + 1}` }]),
  ),
});

const ofLength = (length: number): JsonObject => ({
  properties: { x: { pattern: "a".repeat(length) } },
});
/** A pattern of n characters takes n steps and one to finish. */
const ofSteps = (rest: number): JsonObject => ({
  properties: { x: { pattern: "a{4999}" }, y: { pattern: `a{${4_999 + rest}}` } },
});
const uri = (length: number): string => `https://a.example/${"a".repeat(length - 18)}`;

describe("a costly schema", () => {
  it("is refused with the path if references double at each step", () => {
    expect(schemaProblem(doubling(6, 2))).toBeNull();
    expect(schemaProblem(doubling(16, 2))).toMatch(
      /^schema\.\$defs\.d\d+: more than 10000 keywords apply/,
    );
    expect(schemaProblem(doubling(5, 200))).toMatch(
      /^schema\.\$defs\.d\d+: more than 10000 keywords apply/,
    );
  });

  it("is searched once for private fields, however many refer to one part", () => {
    let reads = 0;
    const shared = new Proxy<JsonObject>(
      { examples: numbered(100, () => ({})), "x-baton": { private: true } },
      {
        ownKeys: (target) => {
          reads += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const fields = numbered(1_000, (n) => [`p${n}`, { $ref: "#/$defs/b" }] as const);
    const schema = { properties: Object.fromEntries(fields), $defs: { b: shared } };
    expect(privateFields(schema).size).toBe(1_000);
    expect(privateProblem(schema, () => false)).toBeNull();
    // Once each for the fields, for marks without a field, for the path of each mark, and for what is tied.
    expect(reads).toBeLessThanOrEqual(4);
  });

  it("holds schemaWeight keywords for one value and not one more", () => {
    expect(schemaProblem(weighing(LIMITS.schemaWeight))).toBeNull();
    expect(schemaProblem(weighing(LIMITS.schemaWeight + 1))).toMatch(
      /^schema\.properties\.x: more than 10000 keywords apply/,
    );
  });

  it("holds schemaChain schemas behind one another and not one more", () => {
    expect(schemaProblem(chained(LIMITS.schemaChain))).toBeNull();
    expect(schemaProblem(chained(LIMITS.schemaChain + 1))).toMatch(
      /^schema\.\$defs\.d0: more than 32 nested schemas/,
    );
  });

  it("holds a pattern of patternLength characters and not one more", () => {
    expect(schemaProblem(ofLength(LIMITS.patternLength))).toBeNull();
    expect(schemaProblem(ofLength(LIMITS.patternLength + 1))).toMatch(
      /^schema\.properties\.x: a patt/,
    );
  });

  it("holds patternSteps steps of patterns together and not one more", () => {
    expect(schemaProblem(ofSteps(0))).toBeNull();
    expect(schemaProblem(ofSteps(1))).toMatch(/^schema\.properties\.y: all patterns together/);
  });

  it("reads a long list of names without comparing all pairs", () => {
    const names = numbered(9_000, (n) => `n${n}`);
    expect(schemaProblem({ required: names })).toBeNull();
    expect(schemaProblem({ required: [...names, "n0"] })).toContain("are the same");
  });
});

const text = (length: number): string => "a".repeat(length);
const record = (count: number, entry: Json): JsonObject =>
  Object.fromEntries(numbered(count, (n) => [`n${n}`, entry]));
const names = (count: number): JsonObject => record(count, 1);
const LONG = "k".repeat(30_000);
/** A tree whose every level is visited twice: 2 to the 28th visits if nothing counted them. */
const twice: JsonObject = {
  $defs: {
    tree: {
      properties: { c: { anyOf: [{ $ref: "#/$defs/tree" }, { $ref: "#/$defs/tree" }] } },
    },
  },
  properties: { x: { $ref: "#/$defs/tree" } },
};
const nested = (depth: number): Json => (depth === 0 ? {} : { c: nested(depth - 1) });

// Without a count these would hang until the runner's deadline. On a busy machine counting takes seconds.
describe("fields that are slow to check", () => {
  it.each<[string, JsonObject, Json]>([
    ["(a+)+$", { pattern: "(a+)+$" }, `${text(50_000)}!`],
    ["a wide choice", { pattern: "^(a|a|aa)*$" }, `${text(50_000)}!`],
    ["a long text without an end", { pattern: "\\s+$" }, `${" ".repeat(200_000)}x`],
    ["many different items", { uniqueItems: true }, numbered(60_000, (n) => n)],
    ["many different objects", { uniqueItems: true }, numbered(20_000, (n) => ({ n }))],
    ["many plain items", { items: { type: "integer" } }, numbered(150_000, () => 1)],
    [
      "many names under many patterns",
      { patternProperties: Object.fromEntries(numbered(40, (n) => [`^k${n}`, {}])) },
      Object.fromEntries(numbered(5_000, (n) => [`k${n}`, 1])),
    ],
    [
      "forty thousand names counted by two hundred parts",
      { allOf: numbered(200, () => ({ minProperties: 1, maxProperties: 99_999 })) },
      names(40_000),
    ],
    [
      "forty thousand names against many objects",
      { not: { enum: numbered(9_000, () => ({})) } },
      names(40_000),
    ],
    [
      "a long list that needs no check of its items",
      { allOf: numbered(900, () => ({ minItems: 1 })) },
      numbered(100_000, () => 1),
    ],
    [
      "a reference that is long to read",
      { items: { $ref: `#/$defs/${LONG}` } },
      numbered(100_000, () => 1),
    ],
  ])("are checked to the end in bounded work: %s", (_, x, value) => {
    const schema = { $defs: { [LONG]: {} }, properties: { x } };
    expect(schemaProblem(schema)).toBeNull();
    const problems = checkValues(schema, { x: value });
    expect(problems.map(({ message }) => message).join()).not.toContain("steps");
  });

  it.each<[string, JsonObject, Json]>([
    ["a tree visited twice at each level", twice, nested(28)],
    [
      "many required names in many items",
      { properties: { x: { items: { required: numbered(3_000, (n) => `n${n}`) } } } },
      numbered(100_000, () => ({})),
    ],
    [
      "a look ahead from every position",
      { properties: { x: { pattern: "(?:(?=a*!)a)*!" } } },
      text(100_000),
    ],
    [
      "a long list of choices for many items",
      { properties: { x: { items: { enum: numbered(2_000, (n) => n) } } } },
      numbered(100_000, () => -1),
    ],
    [
      "many repetitions at every place",
      { properties: { x: { pattern: "a{0,4000}b" } } },
      text(100_000),
    ],
    ...[
      // The keyword alone does not show this work: names, members and tests are counted too.
      ["names that depend on names", { items: { dependentRequired: record(4_900, []) } }, {}],
      ["names that depend on schemas", { items: { dependentSchemas: record(3_000, true) } }, {}],
      ["patterns of names", { items: { patternProperties: record(1_500, true) } }, { n: 1 }],
      [
        "a format that is long to read",
        { items: { allOf: numbered(900, () => ({ format: "uri" })) } },
        "a://a",
      ],
      ["choices that are long to name", { items: { enum: numbered(60, (n) => n) } }, -1],
      [
        "a pattern without a text",
        { items: { allOf: numbered(900, () => ({ pattern: "z" })) } },
        "",
      ],
      [
        "an item in many sets",
        { items: { allOf: numbered(900, () => ({ uniqueItems: true })) } },
        [{ a: 1 }],
      ],
    ].map(([what, x, item]): [string, JsonObject, Json] => [
      what as string,
      { properties: { x: x as JsonObject } },
      numbered(100_000, () => item as Json),
    ]),
    [
      "a text among long choices",
      {
        $defs: { a: { const: `${text(30_000)}!` } },
        properties: { x: { items: { allOf: numbered(900, () => ({ $ref: "#/$defs/a" })) } } },
      },
      numbered(16, () => `${text(30_000)}?`),
    ],
  ])("are refused after validationSteps steps, naming the field: %s", (_, schema, value) => {
    expect(schemaProblem(schema)).toBeNull();
    expect(checkValues(schema, { x: value })).toEqual([ended]);
    expect(checkDocument(schema, { x: value })).toEqual([ended]);
  });

  it("spend exactly validationSteps steps and not one more", () => {
    const { visit, keyword, firstKey, entry } = COST;
    // Two schemas of one keyword, an object of one name, that name, and one step per character.
    const spent = 2 * (visit + keyword) + 3 * 2 * firstKey + entry;
    const schema = { properties: { x: { maxLength: 9_000_000 } } };
    const most = LIMITS.validationSteps - spent;
    expect(checkValues(schema, { x: text(most) })).toEqual([]);
    expect(checkValues(schema, { x: text(most + 1) })).toEqual([ended]);
  });

  it("hold a formatted text to formattedLength characters and not one more", () => {
    const schema = { properties: { x: { format: "uri" } } };
    expect(checkValues(schema, { x: uri(LIMITS.formattedLength) })).toEqual([]);
    expect(checkValues(schema, { x: uri(LIMITS.formattedLength + 1) })).toMatchObject([
      { field: "x", message: expect.stringContaining("longer than 8192") },
    ]);
  });
});

describe("a format", () => {
  const FORMATS =
    "date time date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer";
  const starts = ["", "http://", "https://a", "/", "#/", "0/", "{", "a@", "P", "1:", "mailto:"];
  const parts = [
    "a",
    "a-",
    "a.",
    "1",
    "/",
    "%41",
    ":",
    "~0",
    "{a}",
    "{a,",
    "1:",
    "@",
    " ",
    "(",
    "é",
  ];

  it.each(FORMATS.split(" "))("%s ends on any repeated input", (format) => {
    const schema = { properties: { x: { format } } };
    for (const start of starts) {
      for (const part of parts) {
        const body = part.repeat(Math.floor((LIMITS.formattedLength - 20) / part.length));
        for (const end of ["", "!", "\u0000", "{"]) {
          expect(checkValues(schema, { x: start + body + end }).length).toBeLessThan(2);
        }
      }
    }
  });

  it("url is a web address", () => {
    const schema = { properties: { x: { format: "url" } } };
    expect(checkValues(schema, { x: "https://a.example/b?c#d" })).toEqual([]);
    for (const x of ["a.example", "mailto:a@b.example", "https://", "http://a b"]) {
      expect(checkValues(schema, { x })).toHaveLength(1);
    }
  });
});
