/** JSON that a person enters on the page follows the same limits as on every other face. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { createLinkedSession, person } from "../support/links";
import { client } from "../support/worker";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
/** A value is inside `fields` of a body, so the body is two levels deeper. */
const MAX_DEPTH = LIMITS.jsonDepth - 2;

async function enter(schema: object, inputs: Record<string, string>) {
  const { session, code, token } = await createLinkedSession({}, { schema });
  const linkHolder = person();
  const { html } = await linkHolder.open(code);
  const { status } = await linkHolder.press(code, html, "save", inputs);
  const now = await client.on(session, "GET", "", { token });
  return { session, token, status, fields: now.body.session.fields as Record<string, unknown> };
}

const ANYTHING = { properties: { x: {} } };

describe("JSON on the page", () => {
  it("is saved up to the depth that the API accepts, and not one level deeper", async () => {
    const at = await enter(ANYTHING, { "f/x": nested(MAX_DEPTH) });
    expect([at.status, JSON.stringify(at.fields["x"])]).toEqual([200, nested(MAX_DEPTH)]);
    const overLimit = await enter(ANYTHING, { "f/x": nested(MAX_DEPTH + 1) });
    expect([overLimit.status, overLimit.fields]).toEqual([422, {}]);
  });

  it.each([
    ["is nested deeper", nested(LIMITS.jsonDepth + 1)],
    ["exhausts a stack", nested(5_000)],
    ["has a key called __proto__", '{"a":[{"__proto__":{"b":1}}]}'],
    ["has half of a surrogate pair", '"\\ud800"'],
    ["has a number that is too large", "1e400"],
  ])("that %s stays text, and the session can be read as before", async (_, text) => {
    const { session, token, status, fields } = await enter(ANYTHING, { "f/x": text });
    expect([status, fields["x"] === text]).toEqual([200, true]);
    for (const path of ["/receipt", "/export?files=true", "/events?after=0"]) {
      expect((await client.on(session, "GET", path, { token })).status, path).toBe(200);
    }
  });

  it("is built from inputs by the same rules", async () => {
    const map = { type: "object", additionalProperties: { type: "string" } };
    const named = await enter(
      { properties: { x: map } },
      { "f/x/0": "b", "f/x/0@key": "__proto__" },
    );
    expect([named.status, named.fields]).toEqual([422, {}]);
    const list = { type: "array", items: {} };
    const deep = await enter({ properties: { x: list } }, { "f/x/0": nested(MAX_DEPTH) });
    expect([deep.status, deep.fields]).toEqual([422, {}]);
  });

  it("in the form's own record of shown values does not exhaust the stack", async () => {
    const base = `{"x":${nested(5_000)}}`;
    const sent = { base, seen: base, open: base, drawn: base, version: "0" };
    expect((await enter(ANYTHING, { ...sent, "f/x": "1" })).status).toBeLessThan(500);
  });
});
