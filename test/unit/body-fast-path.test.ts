import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesAppendFastPath, matchesSetFieldsFastPath } from "../../src/protocol/body-fast-path";
import { jsonProblem, parseJsonText } from "../../src/protocol/parse-json";
import { setFieldsBody } from "../../src/protocol/document-requests";
import { appendBody } from "../../src/protocol/log-requests";
import { LIMITS } from "../../src/domain/limits";

/** Nearly valid bodies: members that belong there and members that do not, of any type. */
const near = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record(members, { noNullPrototype: true }) },
    fc.record({ ...members, other: fc.jsonValue() }, { requiredKeys: [], noNullPrototype: true }),
  );
const payload = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }) },
  fc.jsonValue(),
);
const text = fc.oneof({ weight: 4, arbitrary: fc.string() }, fc.jsonValue());
const count = fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.constant(2 ** 53), fc.jsonValue());
const events = fc.oneof(
  { weight: 4, arbitrary: fc.array(near({ type: text, payload }), { maxLength: 4 }) },
  fc.jsonValue(),
);
const appends = fc.oneof(near({ events, expectedHead: count }), near({ events }), fc.jsonValue());
const changes = fc.oneof(
  near({ fields: payload }),
  near({ fields: payload, title: text, confidence: count }),
  fc.jsonValue(),
);

const many = (length: number) => ({
  events: Array.from({ length }, () => ({ type: "a.b", payload: {} })),
});
const named = (length: number) => ({ fields: { ["x".repeat(length)]: 1 } });

describe("a body that is recognized without zod", () => {
  it.each([
    ["an append", matchesAppendFastPath, appendBody, appends],
    ["a change of fields", matchesSetFieldsFastPath, setFieldsBody, changes],
  ] as const)("%s equals what zod parses", (_, matchesFastPath, schema, bodies) => {
    let plain = 0;
    fc.assert(
      fc.property(bodies as fc.Arbitrary<unknown>, (body) => {
        // The check of all JSON refuses some bodies earlier: zod would drop "__proto__".
        if (jsonProblem(body) !== null || !matchesFastPath(body)) return;
        plain += 1;
        const parsed = schema.safeParse(body);
        expect(parsed.success).toBe(true);
        expect(parsed.data).toEqual(body);
      }),
      { numRuns: 1_000 },
    );
    expect(plain).toBeGreaterThan(10);
  });

  it("is recognized only after the JSON check, which refuses the one key that zod would drop", () => {
    const body = parseJsonText('{"fields":{"__proto__":[]}}');
    expect(body.ok).toBe(false);
  });

  it("is the usual body", () => {
    expect(matchesAppendFastPath({ events: [{ type: "a.b", payload: {} }], expectedHead: 3 })).toBe(
      true,
    );
    expect(matchesSetFieldsFastPath({ fields: { name: "Ada", gone: null } })).toBe(true);
  });

  it("has the limits of the schema", () => {
    expect(matchesAppendFastPath(many(LIMITS.eventsPerAppend))).toBe(true);
    expect(matchesAppendFastPath(many(LIMITS.eventsPerAppend + 1))).toBe(false);
    expect(matchesSetFieldsFastPath(named(LIMITS.fieldNameLength))).toBe(true);
    expect(matchesSetFieldsFastPath(named(LIMITS.fieldNameLength + 1))).toBe(false);
  });
});
