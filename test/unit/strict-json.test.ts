import { assert, integer, jsonValue, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStrictly } from "../../src/verify/strict-json";

describe("strict JSON", () => {
  it("reads what JSON.parse reads, whatever it contains", () => {
    assert(
      property(jsonValue(), integer({ min: 0, max: 3 }), (value, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        expect(parseStrictly(text)).toEqual(JSON.parse(text));
        expect(parseStrictly(new TextEncoder().encode(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    `{"a":1,"a":1}`,
    `{"a":1,"\\u0061":2}`,
    `{"a" : 1, "b": {"c": [], "c": {}}}`,
    `[{"a":1},{"b":1,"b":1}]`,
    `{"":1,"":2}`,
    `{"a\\"":1,"x":":","a\\"":2}`,
    `{"__proto__":1,"__proto__":2}`,
  ])("refuses %s, in which a member appears twice", (text) => {
    expect(() => parseStrictly(text)).toThrow("appears twice");
  });

  it.each([
    `{"a":{"a":1},"b":[{"a":1},{"a":2}]}`,
    `{"a":"b","b":"a"}`,
    `["a","a",":","a:"]`,
    `{"a":"{\\"a\\":1,","b":"\\"a\\":"}`,
  ])("accepts %s", (text) => {
    expect(parseStrictly(text)).toEqual(JSON.parse(text));
  });

  it.each([`{"a":1e999}`, `[-1e999]`])("refuses %s, which others read as null", (text) => {
    expect(() => parseStrictly(text)).toThrow("JSON");
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(() => parseStrictly(Uint8Array.of(34, 0xff, 34))).toThrow("UTF-8");
    expect(() => parseStrictly("{")).toThrow("JSON");
  });
});
