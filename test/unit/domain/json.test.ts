import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, jsonBytes, own, type Json } from "../../../src/domain/json";

/** The same value with the keys of every object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

const json = fc.jsonValue() as fc.Arbitrary<Json>;

describe("canonical JSON", () => {
  it("is the same text whatever order the keys came in", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("is JSON of an equal value, so that different values have different texts", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("leaves out what is undefined and keeps what is null", () => {
    expect(canonicalJson({ b: undefined, a: null })).toBe('{"a":null}');
    expect(canonicalJson([undefined, null])).toBe("[null,null]");
  });

  it("differs for arrays in another order", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});

describe("JSON values", () => {
  it("are measured in bytes of UTF-8", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value), "utf8"));
      }),
    );
  });

  it("have only properties of their own", () => {
    expect(own({}, "constructor")).toBeUndefined();
    expect(own(JSON.parse('{"__proto__": 1}') as Record<string, number>, "__proto__")).toBe(1);
  });
});
