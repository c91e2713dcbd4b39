/** The rules for a value that is set, kind by kind. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client } from "../support/worker";

const MINUTE_MS = 60_000;
const START = Date.UTC(2030, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const patch = (session: CreatedSession, token: string, body: unknown): Promise<Answer> =>
  client.on(session, "PATCH", "", { token, body });

const get = (session: CreatedSession, token = session.token): Promise<Answer> =>
  client.on(session, "GET", "", { token });

/** A token that has seen the newest version. */
async function handOff(session: CreatedSession, token: string, id: string) {
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token,
    body: { to: "agent", scopes: ["fill"], actor: { id, name: id.toUpperCase() } },
  });
  return {
    participant: handedOff.body.participantToken as string,
    owner: handedOff.body.resumeToken as string,
  };
}

describe("a field", () => {
  // Shows F-3.
  it("records who set it, when, and with which confidence", async () => {
    const session = await client.create({
      actor: { id: "maker" },
      fields: { name: "Ada", age: 36, city: "London" },
      confidence: { name: 1, age: 0 },
    });
    const { participant } = await handOff(session, session.token, "guest");
    vi.setSystemTime(START + MINUTE_MS);
    const answer = await patch(session, participant, {
      fields: { age: 37, pet: null },
      confidence: 0.25,
    });
    const maker = { kind: "agent", id: "maker" };
    expect(answer.body.session.fields).toEqual({ name: "Ada", age: 37, city: "London" });
    expect(answer.body.session.fieldMeta).toEqual({
      name: { actor: maker, at: "2030-01-01T00:00:00.000Z", confidence: 1 },
      age: {
        actor: { kind: "agent", id: "guest", name: "GUEST" },
        at: "2030-01-01T00:01:00.000Z",
        confidence: 0.25,
      },
      city: { actor: maker, at: "2030-01-01T00:00:00.000Z" },
    });
  });

  it("loses its confidence when it is set again without one", async () => {
    const session = await client.create({ fields: { a: 1 }, confidence: 0.5 });
    const answer = await patch(session, session.token, { fields: { a: 1 } });
    expect(answer.body.session.fieldMeta.a).not.toHaveProperty("confidence");
  });

  // Shows F-2, F-4.
  it("is removed by null, with its meta, and the log records both values", async () => {
    const session = await client.create({ fields: { a: 1, b: false } });
    const answer = await patch(session, session.token, { fields: { a: null, b: 0, c: "" } });
    expect(answer.body.session.fields).toEqual({ b: 0, c: "" });
    expect(Object.keys(answer.body.session.fieldMeta)).toEqual(["b", "c"]);
    const log = await client.on(session, "GET", "/events?type=fields.updated&after=2", {
      token: answer.body.resumeToken as string,
    });
    expect(log.body.events.at(-1).payload.changes).toEqual([
      { field: "a", from: 1 },
      { field: "b", from: false, to: 0 },
      { field: "c", to: "" },
    ]);
  });

  // Shows F-5.
  it.each(["constructor", "toString", "hasOwnProperty", "valueOf", "a b/c~d%25", "ß🎉"])(
    "called %j is a field like any other",
    async (name) => {
      const session = await client.create();
      const answer = await patch(session, session.token, {
        fields: { [name]: "x" },
        confidence: { [name]: 0.5 },
      });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body.session.fields).toEqual({ [name]: "x" });
      expect(answer.body.session.fieldMeta[name].confidence).toBe(0.5);
      const removed = await patch(session, answer.body.resumeToken, { fields: { [name]: null } });
      expect(removed.body.session.fields).toEqual({});
    },
  );

  // Shows F-5.
  it("called __proto__ is refused at any depth", async () => {
    for (const body of [
      '{"fields":{"__proto__":{"polluted":true}}}',
      '{"fields":{"a":{"b":[{"__proto__":1}]}}}',
      '{"__proto__":{"fields":{"a":1}}}',
    ]) {
      const answer = await client.call("POST", "/sessions", { body });
      expect(answer.status, body).toBe(400);
      expect(answer.body.code).toBe("invalid_request");
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("stores any JSON unchanged", async () => {
    const fields = { n: null, deep: { list: [1, "two", { three: [null, true] }], e: 1e300 } };
    const session = await client.create({ fields });
    expect((await get(session)).body.session.fields).toEqual({ deep: fields.deep });
  });

  it.each([
    [{ fields: { a: 1 }, confidence: 1.01 }],
    [{ fields: { a: 1 }, confidence: -0.01 }],
    [{ fields: { a: 1 }, confidence: { a: "sure" } }],
    [{ fields: [1] }],
    [{ fields: { "": 1 } }],
    [{ fields: {} }],
    [{}],
    [{ confidence: 1 }],
    [{ fields: { a: 1 }, field: { b: 2 } }],
    [null],
    [[]],
    ['"text"'],
  ])("set by %j is 400", async (body) => {
    const session = await client.create();
    const answer = await client.on(session, "PATCH", "", {
      token: session.token,
      body: JSON.stringify(body),
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.code).toBe("invalid_request");
  });
});

const FORM = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[A-Z]" },
    age: { type: "integer", minimum: 0, maximum: 150 },
    address: {
      type: "object",
      properties: { zip: { type: "string" }, city: { type: "string" } },
      required: ["zip"],
    },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
  required: ["name", "age", "address"],
  additionalProperties: false,
};

type Problem = { field: string; problem: string; message: string };

describe("a session with a schema", () => {
  // Shows F-1.
  it("refuses values that do not match with one entry per field, and saves none", async () => {
    const session = await client.create({ schema: FORM, fields: { tags: ["a"] } });
    const answer = await patch(session, session.token, {
      fields: { name: "x", age: -1.5, address: { zip: 1, city: 2 }, tags: ["b"], other: 1 },
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: "invalid_fields", sessionId: session.id });
    const errors = answer.body.errors as Problem[];
    expect(errors.map(({ field }) => field).sort()).toEqual(["address", "age", "name", "other"]);
    for (const { problem, message } of errors) {
      expect(problem).toBe("invalid");
      expect(message).not.toBe("");
    }
    const after = await get(session);
    expect(after.body.session).toEqual(session.answer.body.session);
  });

  // Shows F-1, F-6.
  it("accepts parts of the form in any order, and null for required fields", async () => {
    const session = await client.create({ schema: FORM });
    const first = await patch(session, session.token, { fields: { age: 36 } });
    expect(first.status, first.text).toBe(200);
    expect(first.body.session.missingFields).toEqual(["name", "address"]);
    const second = await patch(session, first.body.resumeToken, { fields: { age: null } });
    expect(second.status, second.text).toBe(200);
    expect(second.body.session.missingFields).toEqual(["name", "age", "address"]);
  });

  // Shows W-1.
  it("refuses to submit while required fields are missing, and names each", async () => {
    const session = await client.create({ schema: FORM, fields: { name: "Ada" } });
    const { token } = session;
    const refused = await client.on(session, "POST", "/submit", { token, body: {} });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "missing_fields", sessionId: session.id });
    expect(
      (refused.body.errors as Problem[]).map(({ field, problem }) => [field, problem]),
    ).toEqual([
      ["age", "missing"],
      ["address", "missing"],
    ]);
    expect((await get(session)).body.session.state).toBe("draft");
    const filled = await patch(session, token, { fields: { age: 36, address: { zip: "1" } } });
    const submitted = await client.on(session, "POST", "/submit", {
      token: filled.body.resumeToken as string,
      body: {},
    });
    expect(submitted.status, submitted.text).toBe(200);
  });

  // Shows W-1.
  it("checks rules about the whole document at submit", async () => {
    const schema = { properties: { a: {}, b: {} }, dependentRequired: { a: ["b"] } };
    const session = await client.create({ schema, fields: { a: 1 } });
    const { token } = session;
    const refused = await client.on(session, "POST", "/submit", { token, body: {} });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.length).toBeGreaterThan(0);
  });

  // Shows G-3.
  it("reports beforehand what a submit would report, and changes nothing", async () => {
    const session = await client.create({ schema: FORM, fields: { name: "Ada" } });
    const validate = (fields: unknown) =>
      client.on(session, "POST", "/validate", { token: session.token, body: { fields } });
    const bad = await validate({ age: "old" });
    expect(bad.status).toBe(200);
    expect(bad.body.valid).toBe(false);
    expect(
      (bad.body.errors as Problem[]).map(({ field, problem }) => `${field} ${problem}`).sort(),
    ).toEqual(["address missing", "age invalid"]);
    expect((await validate({ age: 1, address: { zip: "1" } })).body).toMatchObject({
      valid: true,
      errors: [],
    });
    expect((await get(session)).body.session).toEqual(session.answer.body.session);
  });

  it("ignores names that every object inherits unless they are set", async () => {
    const schema = {
      properties: {
        constructor: { type: "string" },
        toString: { type: "number" },
        box: { type: "object", properties: { valueOf: { type: "string" } }, required: ["valueOf"] },
        free: {},
      },
      required: ["constructor", "hasOwnProperty"],
      dependentRequired: { toString: ["free"] },
    };
    const session = await client.create({ schema, fields: { free: 1 } });
    expect(session.answer.body.session.missingFields).toEqual(["constructor", "hasOwnProperty"]);
    const wrong = await patch(session, session.token, {
      fields: { constructor: 1, toString: "x", box: {} },
    });
    expect(wrong.status, wrong.text).toBe(422);
    expect((wrong.body.errors as Problem[]).map(({ field }) => field).sort()).toEqual([
      "box",
      "constructor",
      "toString",
    ]);
    const filled = await patch(session, session.token, {
      fields: { constructor: "x", hasOwnProperty: true, free: null },
    });
    expect(filled.status, filled.text).toBe(200);
    const submitted = await client.on(session, "POST", "/submit", {
      token: filled.body.resumeToken as string,
      body: {},
    });
    expect(submitted.status, submitted.text).toBe(200);
  });

  it.each([
    ["of another root type", { type: "array" }],
    ["with an unknown type", { properties: { a: { type: "text" } } }],
    ["with a keyword of the wrong shape", { required: "a" }],
    ["with a negative length", { properties: { a: { minLength: -1 } } }],
    ["with a broken pattern", { properties: { a: { pattern: "(" } } }],
    ["with a broken patternProperties", { patternProperties: { "[": {} } }],
    [
      "with a reference to another document",
      { properties: { a: { $ref: "https://example.com/s" } } },
    ],
    ["with a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }],
    ["with a dynamic reference", { properties: { a: { $dynamicRef: "#x" } } }],
    ["with a reference to data", { properties: { a: { $ref: "#/default" } }, default: {} }],
    ["with a reference to a map of schemas", { properties: { a: { $ref: "#/properties" } } }],
    ["with a reference to an unknown keyword", { properties: { a: { $ref: "#/x" } }, x: {} }],
    [
      "with a reference to a rule of the whole document",
      { properties: { a: { $ref: "#/anyOf/0" } }, anyOf: [{}] },
    ],
    ["with an $id that is not a URI", { $id: "http://[" }],
    ["that refers to itself", { properties: { a: { $ref: "#/properties/a" } } }],
    ["with a root that refers to itself", { $ref: "#" }],
    [
      "that refers to itself in a circle",
      {
        properties: { a: { $ref: "#/$defs/b" } },
        $defs: { b: { allOf: [{ $ref: "#/$defs/c" }] }, c: { not: { $ref: "#/$defs/b" } } },
      },
    ],
    ["that is not an object", "string"],
    // Shows C-4.
  ])("%s is refused at creation", async (_, schema) => {
    const answer = await client.call("POST", "/sessions", { body: { schema } });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body).toMatchObject({ code: "invalid_request", at: "schema" });
  });

  it("may be recursive, as deep as the values go", async () => {
    const schema = {
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
    };
    const session = await client.create({ schema, fields: { tree: { children: [{}] } } });
    const answer = await patch(session, session.token, {
      fields: { tree: { children: [{ children: [1] }] } },
    });
    expect((answer.body.errors as Problem[]).map(({ field }) => field)).toEqual(["tree"]);
  });

  // Shows C-4.
  it("follows references inside it", async () => {
    const schema = {
      properties: { start: { $ref: "#/$defs/day" }, end: { $ref: "#/$defs/day" } },
      $defs: { day: { type: "string", format: "date" } },
    };
    const session = await client.create({ schema, fields: { start: "2030-01-01" } });
    const answer = await patch(session, session.token, { fields: { end: "tomorrow" } });
    expect((answer.body.errors as Problem[]).map(({ field }) => field)).toEqual(["end"]);
    const odd = { properties: { a: { $ref: "#/$defs/a%20b~1c" } }, $defs: { "a b/c": false } };
    const refused = await client.call("POST", "/sessions", {
      body: { schema: odd, fields: { a: 1 } },
    });
    expect(refused.body.code, refused.text).toBe("invalid_fields");
  });
});
