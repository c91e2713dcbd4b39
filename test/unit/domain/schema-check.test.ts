import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/domain/json";
import { schemaProblem } from "../../../src/json-schema/schema-check";
import { checkValues, checkDocument } from "../../../src/domain/session/validation";

describe("a schema", () => {
  it.each<[string, JsonObject]>([
    ["nothing at all", {}],
    ["an object", { type: "object", properties: { a: { type: ["string", "null"] } } }],
    ["its own id at the root", { $id: "https://a.example/form", type: "object" }],
    ["references inside", { $defs: { a: {} }, properties: { a: { $ref: "#/$defs/a" } } }],
    ["a tree", { properties: { child: { $ref: "#" } } }],
    [
      "escaped references",
      { $defs: { "a/b~c": {} }, properties: { a: { $ref: "#/$defs/a~1b~0c" } } },
    ],
    ["a reference by percent", { $defs: { ä: {} }, properties: { a: { $ref: "#/$defs/%C3%A4" } } }],
    ["a name that looks like a keyword", { properties: { $ref: { type: "string" }, pattern: {} } }],
    [
      "data that looks like a schema",
      { properties: { a: { const: { $ref: "nowhere", pattern: "(" } } } },
    ],
    ["boolean schemas", { properties: { a: true, b: false } }],
  ])("may be %s", (_, schema) => {
    expect(schemaProblem(schema)).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ["a root that is no object", { type: "array" }],
    ["an unknown type", { properties: { a: { type: "text" } } }],
    ["properties that are no schemas", { properties: { a: 1 } }],
    ["required that is no list", { required: "a" }],
    ["a negative length", { properties: { a: { minLength: -1 } } }],
    ["a step of nothing", { properties: { a: { multipleOf: 0 } } }],
    ["an empty allOf", { allOf: [] }],
    ["a reference outside", { properties: { a: { $ref: "https://a.example/x" } } }],
    ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["a reference to what every object has", { properties: { a: { $ref: "#/constructor" } } }],
    ["a reference to what is no schema", { title: "t", properties: { a: { $ref: "#/title" } } }],
    ["a broken percent", { properties: { a: { $ref: "#/%E0%A4%A" } } }],
    ["an anchor", { $defs: { a: { $anchor: "a" } } }],
    ["a dynamic reference", { properties: { a: { $dynamicRef: "#a" } } }],
    ["an id inside", { properties: { a: { $id: "https://a.example/x" } } }],
    ["a pattern that does not compile", { properties: { a: { pattern: "(" } } }],
    ["a pattern property that does not compile", { patternProperties: { "[": {} } }],
    ["a pattern that is too long", { properties: { a: { pattern: "a".repeat(501) } } }],
    [
      "a mistake deep inside",
      { properties: { a: { items: { anyOf: [{ not: { pattern: "(" } }] } } } },
    ],
    ["a circle of references", { $ref: "#" }],
  ])("must not have %s", (_, schema) => {
    expect(schemaProblem(schema)).toEqual(expect.any(String));
  });
});

const KEYWORDS =
  "type properties required items $ref $defs allOf not pattern enum const minimum maxLength format additionalProperties if then uniqueItems dependentRequired patternProperties propertyNames contains".split(
    " ",
  );

describe("a schema that was accepted", () => {
  const keyword = fc.constantFrom(...KEYWORDS);
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("object", "string", "number", "#", "#/$defs/a", "a", "email", "(", "^a+$"),
      fc.boolean(),
      fc.integer({ min: -1, max: 3 }),
      fc.constant(null),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.constantFrom("a", "b")), tie("node"), { maxKeys: 4 }),
    ),
  }));

  it("never makes validating throw, whatever is checked against it", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.dictionary(keyword, node, { maxKeys: 4 }),
        fc.dictionary(fc.constantFrom("a", "b", "c/d"), fc.jsonValue(), { maxKeys: 3 }),
        (schema, fields) => {
          if (!isJsonObject(schema) || schemaProblem(schema) !== null) return;
          accepted += 1;
          checkValues(schema, fields as JsonObject);
          checkDocument(schema, fields as JsonObject);
        },
      ),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
