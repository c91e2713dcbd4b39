/** Forms from JSON Schemas, the values in posted forms, and the limits of both. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/domain/json.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import { answersIn } from "../../../src/ui/form/answers.ts";
import { formModel, textsFor } from "../../../src/ui/form/fields.ts";
import type { FormNode } from "../../../src/ui/form/node.ts";
import { problemsIn } from "../../../src/ui/form/problems.ts";
import { en } from "../../../src/ui/words/en.ts";

const model = (
  schema: JsonObject | null,
  fields: Record<string, Json> = {},
  ask: string[] | null = null,
) => formModel({ schema, fields, language: "en", ask, show: [] });

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

function countNode(node: FormNode): number {
  switch (node.kind) {
    case "group":
    case "when":
      return 1 + node.children.reduce((sum, child) => sum + countNode(child.node), 0);
    case "list":
    case "map":
      return 1 + countNode(node.template) + node.rows.reduce((sum, row) => sum + countNode(row), 0);
    case "variants":
      return 1 + node.options.reduce((sum, option) => sum + countNode(option.node), 0);
    default:
      return 1;
  }
}

const countNodes = ({ children }: ReturnType<typeof model>): number =>
  children.reduce((sum, child) => sum + countNode(child.node), 0);

/** Renders a form, posts it unchanged, and returns the changes that the server would find. */
function changesAfterRoundTrip(
  schema: JsonObject,
  fields: Record<string, Json>,
): Record<string, Json> {
  const form = model(schema, fields);
  const texts = new Map([
    ...textsFor(form, fields, null, null),
    ["base", JSON.stringify(fields)],
    ["drawn", JSON.stringify(Object.keys(fields))],
  ]);
  const { changes } = answersIn(form, texts, fields);
  return changes;
}

const schemaWithFields = (count: number) =>
  object(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: "string" }])),
  );

/** As in src/ui/form/schema.ts: the steps that a merge costs for each name. */
const STEPS_PER_COPIED_NAME = 50;
/** A merge lists the names of a part at most this often. */
const READS_PER_MERGE = 4;

const read = (schema: JsonObject, texts: Record<string, string>) => {
  const typed = new Map(Object.entries(texts));
  return answersIn(
    formModel({ schema, fields: {}, language: "en", ask: null, show: [], texts: typed }),
    typed,
    {},
  ).changes;
};

const problems = (schema: JsonObject, texts: Record<string, string>) => {
  const typed = new Map(
    Object.entries({
      ...texts,
      drawn: JSON.stringify(Object.keys(schema["properties"] as object)),
    }),
  );
  const form = formModel({ schema, fields: {}, language: "en", ask: null, show: [], texts: typed });
  const { values } = answersIn(form, typed, {});
  return [
    ...problemsIn({ model: form, texts: typed, words: en, amount: String }, values, {}, true),
  ];
};

describe("a form", () => {
  it("has a bounded number of inputs for a schema that refers to itself", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const schema = {
      $ref: "#/$defs/node",
      $defs: {
        node: object(Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/node" }]))),
      },
    };
    const form = model(schema);
    expect(countNodes(form)).toBeLessThanOrEqual(LIMITS.formInputs);
    expect(form.children.map(({ key }) => key)).toEqual(names);
  });

  it("has formInputs inputs and not one more", () => {
    const full = model(schemaWithFields(LIMITS.formInputs));
    expect([full.children.length, full.children.at(-1)?.node.kind]).toEqual([400, "text"]);
    const overflowing = model(schemaWithFields(LIMITS.formInputs + 1));
    expect([overflowing.children.length, overflowing.children.at(-1)?.node.kind]).toEqual([
      400,
      "json",
    ]);
    expect(overflowing.children.at(-1)?.node).toMatchObject({ fields: ["f399", "f400"] });
  });

  it("has formRows rows and not one more", () => {
    const schema = object({ list: { type: "array", items: { type: "string" } } });
    const kind = (rows: number) =>
      model(schema, { list: Array.from({ length: rows }, String) }).children[0]?.node.kind;
    expect([kind(LIMITS.formRows), kind(LIMITS.formRows + 1)]).toEqual(["list", "json"]);
  });

  it("repeats formTextLength characters of a schema and not one more", () => {
    const half = LIMITS.formTextLength / 2;
    const kinds = (more: number) =>
      model({
        $defs: { long: { type: "string", title: "T", description: "x".repeat(half - 1) } },
        properties: {
          a: { $ref: "#/$defs/long" },
          b: { $ref: "#/$defs/long", title: "T".repeat(more) },
        },
      }).children.map(({ node }) => [node.kind, node.help?.length ?? 0]);
    expect(kinds(1)).toEqual([
      ["text", half - 1],
      ["text", half - 1],
    ]);
    expect(kinds(2)).toEqual([
      ["text", half - 1],
      ["json", 0],
    ]);
  });

  it("marks a private part as private even if its texts are left out", () => {
    const long = { type: "string", description: "x".repeat(LIMITS.formTextLength) };
    const secret = { type: "string", "x-baton": { private: true } };
    const [, last] = model(object({ long, secret })).children;
    expect(last?.node).toMatchObject({ kind: "json", isPrivate: true });
  });

  it("resolves a schema in bounded work, however often its parts are referred to", () => {
    let reads = 0;
    const names = 4_000;
    const many = Object.fromEntries(Array.from({ length: names }, (_, n) => [`p${n}`, true]));
    const properties = new Proxy(many, {
      ownKeys: (target) => {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    });
    const allOf = Array.from({ length: 1_000 }, () => ({ $ref: "#/$defs/b" }));
    model({ allOf, $defs: { b: { properties } } });
    const maxMerges = LIMITS.validationSteps / (STEPS_PER_COPIED_NAME * names);
    expect(reads).toBeLessThanOrEqual(READS_PER_MERGE * maxMerges);
  });

  it("has the single input `answer` if there is neither a schema nor `ask`", () => {
    expect(model(null).children.map(({ key }) => key)).toEqual(["answer"]);
    expect(model(null, { a: 1 }, ["b"]).children.map(({ key }) => key)).toEqual(["b"]);
  });
});

/** Goes through JSON because the linter treats an object with `then` as a promise. */
const when = (condition: JsonObject, applied: JsonObject): JsonObject =>
  JSON.parse(
    `{"if": ${JSON.stringify(condition)}, "then": ${JSON.stringify(applied)}}`,
  ) as JsonObject;

const CASES: readonly (readonly [JsonObject, Json])[] = [
  [{ type: "string" }, "Ada\nLovelace"],
  [{ type: "string", format: "date-time" }, "2026-03-01T10:30:00+02:00"],
  [{ type: "string", format: "date-time" }, "2026-03-01T10:30:15.5Z"],
  [{ type: "string", format: "time" }, "10:30:00"],
  [{ type: "string", format: "color" }, "#aabbcc"],
  [{ type: "number" }, 1.5e-7],
  [{ type: "integer", default: 3 }, 4],
  [{ type: "boolean" }, false],
  [{ type: "boolean", default: true }, false],
  [{ const: true }, true],
  [{ enum: ["a", 1, { b: 2 }] }, { b: 2 }],
  [{ oneOf: [{ const: "x", title: "Ex" }, { const: "y" }] }, "x"],
  [{ type: "array", items: { enum: ["a", "b", "c"] } }, ["c", "a"]],
  [{ type: "array", items: { type: "integer" } }, [3, 1, 2]],
  [{ type: "array", items: object({ a: { type: "string" } }) }, [{ a: "x" }, { a: "y", z: 1 }]],
  [{ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] }, ["a", 2]],
  [
    { type: "object", additionalProperties: { type: "number" } },
    { one: 1, two: 2 },
  ],
  [object({ a: object({ b: { type: "string" } }) }), { a: { b: "deep" }, other: [1] }],
  [
    {
      oneOf: [
        object({ a: { type: "string" } }, { required: ["a"] }),
        object({ b: { type: "integer" } }, { required: ["b"] }),
      ],
    },
    { b: 4 },
  ],
  [
    {
      type: "object",
      properties: { name: { type: "string" } },
      oneOf: [
        object(
          { kind: { const: "card" }, number: { type: "string" } },
          { required: ["kind", "number"] },
        ),
        object(
          { kind: { const: "iban" }, iban: { type: "string" } },
          { required: ["kind", "iban"] },
        ),
      ],
    },
    { name: "Ada", kind: "iban", iban: "DE00" },
  ],
  [
    {
      ...object({ has: { type: "boolean" } }),
      ...when(
        { properties: { has: { const: true } }, required: ["has"] },
        object({ what: { type: "string" } }),
      ),
    },
    { has: true, what: "it" },
  ],
  [{ type: ["string", "number"] }, "12"],
  [{}, [null, { a: [] }]],
  [{ type: "array", items: { type: "string" } }, ["", "a"]],
  [{ type: "string" }, "   "],
];

describe("every value", () => {
  it.each(CASES)("of %j round-trips: %j", (schema, value) => {
    expect(changesAfterRoundTrip(object({ field: schema }), { field: value })).toEqual({});
  });
});

describe("typed input", () => {
  it("is read leniently", () => {
    const schema = object({
      n: { type: "number" },
      at: { type: "string", format: "date-time" },
      site: { type: "string", format: "uri" },
    });
    expect(
      read(schema, {
        "f/n": " 1 234.5 ",
        "f/at": "2026-01-02T03:04",
        "f/at@zone": "+01:00",
        "f/site": "example.com/a",
      }),
    ).toEqual({ n: 1234.5, at: "2026-01-02T03:04:00+01:00", site: "https://example.com/a" });
  });

  it("in a variant that was not chosen, or a part that does not apply, is ignored", () => {
    const schema = {
      ...object({ has: { enum: ["yes", "no"] } }),
      ...when(
        { properties: { has: { const: "yes" } }, required: ["has"] },
        object({ what: { type: "string" } }),
      ),
    };
    expect(read(schema, { "f/has": '"no"', "f/@then0/what": "x" })).toEqual({ has: "no" });
    expect(read(schema, { "f/has": '"yes"', "f/@then0/what": "x" })).toEqual({
      has: "yes",
      what: "x",
    });
  });
});

describe("problems", () => {
  it("are all shown at once, at their inputs, in the order of the form and in plain language", () => {
    const schema = object(
      {
        name: { type: "string" },
        age: { type: "integer", minimum: 18 },
        mail: { type: "string", format: "email" },
        plate: { type: "string", pattern: "^[A-Z]{2}\\d+$", examples: ["AB12"] },
        agree: { const: true, title: "I agree" },
        address: object(
          { street: { type: "string" }, zip: { type: "string", minLength: 5 } },
          { required: ["street", "zip"] },
        ),
        people: {
          type: "array",
          items: object(
            { who: { type: "string" }, years: { type: "number" } },
            { required: ["who"] },
          ),
        },
      },
      { required: ["name", "agree", "address", "plate"] },
    );
    expect(
      problems(schema, {
        "f/age": "7",
        "f/mail": "nobody",
        "f/plate": "x",
        "f/address/zip": "1",
        "f/people/0/who": "",
        "f/people/1/years": "many",
      }),
    ).toEqual([
      ["f/name", "Please answer this."],
      ["f/age", "Please enter 18 or more."],
      ["f/mail", "Please enter an e-mail address, for example name@example.com."],
      ["f/plate", "This does not have the expected form. For example: AB12"],
      ["f/agree", "Please tick this box to continue."],
      ["f/address/street", "Please answer this."],
      ["f/address/zip", "Please write at least 5 characters."],
      ["f/people/1/who", "Please answer this."],
      ["f/people/1/years", "Please enter a number, for example 1250.50 or 1,250.50."],
    ]);
  });

  it("in variants are reported only for the chosen one", () => {
    const schema = object(
      {
        pay: {
          oneOf: [
            object(
              { card: { type: "string", title: "Card" } },
              { required: ["card"], title: "By card" },
            ),
            object(
              { iban: { type: "string" }, bank: { type: "string" } },
              { required: ["iban", "bank"], title: "By bank" },
            ),
          ],
        },
      },
      { required: ["pay"] },
    );
    expect(problems(schema, {})).toEqual([["f/pay", "Please choose one."]]);
    expect(problems(schema, { "f/pay": "1", "f/pay/@1/bank": "B" })).toEqual([
      ["f/pay/@1/iban", "Please answer this."],
    ]);
  });
});
