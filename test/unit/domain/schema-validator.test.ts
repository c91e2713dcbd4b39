/** Our validator against another one, for schemas that both read the same way. */
import { Validator, type Schema } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/domain/json";
import { schemaProblem } from "../../../src/json-schema/schema-check";
import { validateValue } from "../../../src/json-schema/schema-validator";
import { drawn } from "../../support/scale";

const isValid = (schema: JsonObject, value: Json): boolean =>
  validateValue(schema, schema, value, 1_000_000).problems.length === 0;

const names = fc.constantFrom("a", "b", "c");
const few = fc.integer({ min: 0, max: 3 });
/** The other validator treats an empty list and an empty object as equal. */
const single = fc.constantFrom<Json>(null, true, 0, 1, "a", "ab", [1], ["a", null], { a: 1 });
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, -1, "", "a", "ab", "abc"),
    fc.array(tie("value"), { maxLength: 4 }) as fc.Arbitrary<Json>,
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value;

const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const some = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(names, tie("schema"), { maxKeys: 2, noNullPrototype: true });
  const list = fc.uniqueArray(names, { maxLength: 2 });
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.boolean(),
      fc.constant({ $ref: "#/$defs/leaf" }),
      fc
        .record(
          {
            type: fc.constantFrom("object", "array", "string", "integer", "number", [
              "null",
              "array",
            ]),
            enum: fc.array(single, { minLength: 1, maxLength: 3 }),
            const: single,
            minimum: few,
            exclusiveMaximum: few,
            multipleOf: fc.constantFrom(1, 2, 0.5),
            minLength: few,
            maxLength: few,
            pattern: fc.constantFrom("^a", "b$", "^(a|b)*$"),
            minItems: few,
            maxItems: few,
            minProperties: few,
            maxProperties: few,
            required: list,
            dependentRequired: fc.dictionary(names, list, { maxKeys: 1, noNullPrototype: true }),
          },
          { requiredKeys: [] },
        )
        .chain((own) =>
          fc
            .subarray(Object.keys(own), { maxLength: 3 })
            .map((keys) =>
              Object.fromEntries(keys.map((key) => [key, own[key as keyof typeof own]])),
            ),
        ),
      some.map((parts) => ({ allOf: parts })),
      some.map((parts) => ({ anyOf: parts })),
      some.map((parts) => ({ oneOf: parts })),
      tie("schema").map((part) => ({ not: part })),
      fc
        .tuple(tie("schema"), tie("schema"), tie("schema"))
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
        .map(([condition, then, other]) => ({ if: condition, then, else: other })),
      fc
        .tuple(named, tie("schema"))
        .map(([properties, rest]) => ({ properties, additionalProperties: rest })),
      fc
        .tuple(named, some, tie("schema"))
        .map(([properties, allOf, rest]) => ({ allOf, properties, unevaluatedProperties: rest })),
      tie("schema").map((part) => ({
        patternProperties: { "^[ab]$": part },
        additionalProperties: false,
      })),
      fc.tuple(some, tie("schema")).map(([prefixItems, items]) => ({ prefixItems, items })),
      tie("schema").map((part) => ({ contains: part })),
      fc
        .tuple(tie("schema"), fc.integer({ min: 1, max: 2 }))
        .map(([contains, minContains]) => ({ contains, minContains, maxContains: 3 })),
      named.map((parts) => ({ dependentSchemas: parts })),
      tie("schema").map((part) => ({ propertyNames: part })),
    ) as fc.Arbitrary<Json>,
  };
});

/**
 * The other validator treats what conditions and nested parts have visited as evaluated, even if they
 * do not hold or are in another place. Ours must not.
 */
function isKnownDifference(part: Json): boolean {
  const text = JSON.stringify(part);
  const count = text.split('"unevaluatedProperties"').length - 1;
  return count > 1 || (count === 1 && text.includes('"if"'));
}

describe("a value against a schema", () => {
  it("gets the same result as from another validator", () => {
    let [refused, accepted] = [0, 0];
    fc.assert(
      fc.property(schema, value, (part, instance) => {
        const whole: JsonObject = {
          $defs: { leaf: { type: ["string", "object"], maxLength: 1, maxProperties: 1 } },
          properties: { x: part },
        };
        if (schemaProblem(whole) !== null || isKnownDifference(part)) return;
        const mine = isValid(whole, { x: instance });
        const other = new Validator(structuredClone(whole) as Schema, "2020-12", false);
        expect(mine).toBe(other.validate({ x: instance }).valid);
        if (mine) accepted += 1;
        else refused += 1;
      }),
      drawn(1_000),
    );
    expect(refused).toBeGreaterThan(100);
    expect(accepted).toBeGreaterThan(100);
  });

  it("is not evaluated by a condition that does not hold", () => {
    const condition = { allOf: [false], unevaluatedProperties: true };
    const schema = {
      properties: {
        x: { allOf: [{ if: condition, else: true }], unevaluatedProperties: false },
      },
    };
    expect(isValid(schema, { x: {} })).toBe(true);
    expect(isValid(schema, { x: { a: 1 } })).toBe(false);
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    const sibling = { if: { properties: { a: true } }, then: { unevaluatedProperties: false } };
    expect(isValid({ properties: { x: sibling } }, { x: { a: 1 } })).toBe(false);
  });

  it("has duplicate items only if they are equal in all parts", () => {
    const schema = { properties: { x: { uniqueItems: true } } };
    expect(isValid(schema, { x: [{}, [], 1, "1", true, null, { a: 1 }, { a: 2 }] })).toBe(true);
    expect(
      isValid(schema, {
        x: [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      }),
    ).toBe(false);
    expect(isValid({ properties: { x: { uniqueItems: false } } }, { x: [1, 1] })).toBe(true);
  });
});
