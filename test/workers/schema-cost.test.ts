/** Schemas and fields that are built to be slow, over HTTP and in the runtime itself. */
import { describe, expect, it } from "vitest";
import { client } from "../support/worker";

const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Every level of the value passes through the longest allowed chain of schemas. */
const chained = {
  $defs: Object.fromEntries(
    numbered(31, (n) => [
      `d${n}`,
      n === 30 ? { properties: { c: { $ref: "#/$defs/d0" } } } : { $ref: `#/$defs/d${n + 1}` },
    ]),
  ),
  properties: { x: { $ref: "#/$defs/d0" } },
};
const nested = (depth: number): unknown => (depth === 0 ? 1 : { c: nested(depth - 1) });

describe("work that a client can cause", () => {
  // Shows C-11.
  it("a schema that causes too much work is refused with 400, naming the part", async () => {
    const doubling = Object.fromEntries(
      numbered(40, (n) => [
        `d${n}`,
        n === 39 ? {} : { allOf: numbered(2, () => ({ $ref: `#/$defs/d${n + 1}` })) },
      ]),
    );
    for (const [schema, part] of [
      [{ $defs: doubling, $ref: "#/$defs/d0" }, "schema.$defs.d"],
      [{ properties: { x: { pattern: "(a)\\1" } } }, "schema.properties.x"],
      [{ properties: { x: { pattern: "(a{999}){999}" } } }, "schema.properties.x"],
    ] as const) {
      const answer = await client.call("POST", "/sessions", { body: { schema } });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: "invalid_request" });
      expect(answer.body.detail).toContain(part);
    }
  });

  // Shows C-11.
  it("fields that take too much work to check are refused with 422 by name, and nothing is saved", async () => {
    const schema = {
      properties: { ok: {}, x: { items: { required: numbered(3_000, (n) => `n${n}`) } } },
    };
    const session = await client.create({ schema });
    const fields = { ok: 1, x: numbered(50_000, () => ({})) };
    const body = { fields };
    const slow = await client.on(session, "PATCH", "", { token: session.token, body });
    expect(slow.status).toBe(422);
    expect(slow.body).toMatchObject({ code: "invalid_fields", errors: [{ field: "x" }] });
    expect(slow.body.errors[0].message).toContain("steps");
    const read = await client.on(session, "GET", "", { token: session.token });
    expect(read.body.session).toMatchObject({ fields: {}, version: 1 });
    const verdict = await client.on(session, "POST", "/validate", { token: session.token, body });
    expect(verdict.body).toMatchObject({ valid: false, errors: [{ field: "x" }] });
  });

  it("a pattern that would keep a backtracking engine busy forever is matched quickly", async () => {
    const session = await client.create({ schema: { properties: { x: { pattern: "^(a+)+$" } } } });
    const patch = (x: string, token: string) =>
      client.on(session, "PATCH", "", { token, body: { fields: { x } } });
    expect((await patch(`${"a".repeat(5_000)}!`, session.token)).status).toBe(422);
    expect((await patch("a".repeat(5_000), session.token)).status).toBe(200);
  });

  it("the deepest value under the longest chain of schemas does not exhaust the stack", async () => {
    const session = await client.create({ schema: chained });
    for (const [value, status] of [
      [nested(31), 400],
      [nested(30), 200],
    ] as const) {
      const body = { fields: { x: value } };
      const answer = await client.on(session, "PATCH", "", { token: session.token, body });
      expect(answer.status, answer.text.slice(0, 300)).toBe(status);
    }
  });
});
