import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json";
import { requiredFields } from "../../../src/json-schema/partial-schema";
import { checkValues, checkDocument, missingFields } from "../../../src/domain/session/validation";

const FORM: JsonObject = {
  type: "object",
  required: ["email", "amount"],
  properties: {
    email: { type: "string", format: "email" },
    amount: { type: "number", minimum: 0 },
    address: {
      type: "object",
      required: ["city"],
      properties: { city: { type: "string" }, zip: { type: "string", pattern: "^[0-9]{5}$" } },
    },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
  additionalProperties: false,
};

const fieldsOf = (problems: readonly { field: string }[]): readonly string[] =>
  problems.map(({ field }) => field).toSorted();

describe("setting values", () => {
  it("accepts any part of the form, and nothing", () => {
    expect(checkValues(FORM, {})).toEqual([]);
    expect(checkValues(FORM, { amount: 3 })).toEqual([]);
    expect(checkValues(FORM, { email: "a@b.example", tags: ["x"] })).toEqual([]);
  });

  it("names each field that does not fit, once", () => {
    const problems = checkValues(FORM, { email: "nobody", amount: -1, tags: ["a", "a"] });
    expect(fieldsOf(problems)).toEqual(["amount", "email", "tags"]);
    expect(problems.every(({ problem }) => problem === "invalid")).toBe(true);
  });

  it("names the path of the problem inside a field", () => {
    const [problem] = checkValues(FORM, { address: { city: "Ulm", zip: "89" } });
    expect(problem).toMatchObject({ field: "address", message: expect.stringMatching(/^zip: /) });
    expect(fieldsOf(checkValues(FORM, { tags: ["a", 1] }))).toEqual(["tags"]);
  });

  it("checks a value against all its own rules, including required parts", () => {
    expect(fieldsOf(checkValues(FORM, { address: { zip: "89073" } }))).toEqual(["address"]);
  });

  it("refuses an unknown name if the schema forbids it", () => {
    expect(checkValues(FORM, { other: 1 })).toEqual([
      { field: "other", problem: "invalid", message: "is not allowed here" },
    ]);
  });

  it("reports a known name for its value, not for its presence", () => {
    const strict = { properties: { inner: FORM }, additionalProperties: false };
    const [problem] = checkValues(strict, { inner: { email: "a@b.example", amount: -1 } });
    expect(problem).toMatchObject({
      field: "inner",
      message: expect.stringMatching(/^amount: .*0/),
    });
    const [unknown] = checkValues(strict, { inner: { email: "a@b.example", amount: 1, other: 1 } });
    expect(unknown).toMatchObject({ field: "inner", message: "other: is not allowed here" });
  });

  it("accepts everything without a schema", () => {
    expect(checkValues(null, { anything: [{}] })).toEqual([]);
    expect(checkDocument(null, { anything: [{}] })).toEqual([]);
  });

  it("follows references", () => {
    const schema = {
      $defs: { money: { type: "number", minimum: 0 } },
      properties: { price: { $ref: "#/$defs/money" } },
    };
    expect(checkValues(schema, { price: 1 })).toEqual([]);
    expect(fieldsOf(checkValues(schema, { price: -1 }))).toEqual(["price"]);
  });

  it("does not require missing fields behind a reference of the root either", () => {
    const schema = {
      $defs: { form: { required: ["a", "b"], properties: { a: { type: "string" } } } },
      $ref: "#/$defs/form",
    };
    expect(checkValues(schema, { a: "x" })).toEqual([]);
    expect(fieldsOf(checkValues(schema, { a: 1 }))).toEqual(["a"]);
    expect(fieldsOf(checkDocument(schema, { a: "x" }))).toEqual(["b"]);
  });

  it("applies every part of a root allOf, but does not require missing fields there", () => {
    const schema = {
      allOf: [
        { required: ["a"], properties: { a: { type: "string" } } },
        { required: ["b"], properties: { b: { type: "number" } } },
      ],
    };
    expect(checkValues(schema, { a: "x" })).toEqual([]);
    expect(fieldsOf(checkValues(schema, { a: 1, b: "x" }))).toEqual(["a", "b"]);
    expect(fieldsOf(checkDocument(schema, { a: "x" }))).toEqual(["b"]);
  });
});

describe("checking the whole", () => {
  it("names each missing field as missing and each wrong one as invalid", () => {
    const problems = checkDocument(FORM, { email: "nobody" });
    expect(problems).toContainEqual({
      field: "amount",
      problem: "missing",
      message: expect.any(String),
    });
    expect(problems).toContainEqual({
      field: "email",
      problem: "invalid",
      message: expect.any(String),
    });
    expect(problems).toHaveLength(2);
  });

  it("passes a complete form", () => {
    const whole = { email: "a@b.example", amount: 1, address: { city: "Ulm" } };
    expect(checkDocument(FORM, whole)).toEqual([]);
    expect(missingFields(FORM, whole)).toEqual([]);
  });

  it("reports the document itself if no field is to blame", () => {
    const [problem, ...others] = checkDocument({ minProperties: 2 }, { a: 1 });
    expect(problem).toMatchObject({ field: "", problem: "invalid" });
    expect(others).toEqual([]);
  });

  it("finds required names in the root and in its allOf", () => {
    const schema = { required: ["a"], allOf: [{ required: ["b", "a"] }, true] };
    expect(requiredFields(schema)).toEqual(["a", "b"]);
  });

  it("reports a missing field even if it is named like a property of every object", () => {
    const schema = { required: ["constructor", "toString"] };
    expect(fieldsOf(checkDocument(schema, {}))).toEqual(["constructor", "toString"]);
  });
});

describe("names of fields", () => {
  const name = fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
      fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...'/~%012#?.[]" \\ä') }),
    )
    .filter((text) => text !== "__proto__" && text.isWellFormed());

  it("round-trip, whatever they contain", () => {
    fc.assert(
      fc.property(name, (field) => {
        const schema = { required: [field], properties: { [field]: { type: "number" } } };
        expect(fieldsOf(checkValues(schema, { [field]: "text" }))).toEqual([field]);
        expect(checkDocument(schema, {})).toMatchObject([{ field, problem: "missing" }]);
        expect(checkDocument(schema, { [field]: 1 })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe.each([
  ["date-time", "2026-01-31T10:00:00Z", "yesterday"],
  ["date", "2026-01-31", "2026-13-01"],
  ["time", "10:00:00Z", "25:00:00Z"],
  ["email", "a@b.example", "a b"],
  ["uri", "https://a.example/b", "not a uri"],
  ["uuid", "3f2c9d2e-8c1a-4a51-9c1e-2f5f3c1d7a10", "3f2c"],
  ["ipv4", "10.0.0.1", "10.0.0.256"],
])("the format %s", (format, right, wrong) => {
  it("is asserted", () => {
    const schema = { properties: { value: { type: "string", format } } };
    expect(checkValues(schema, { value: right })).toEqual([]);
    expect(fieldsOf(checkValues(schema, { value: wrong }))).toEqual(["value"]);
  });
});
