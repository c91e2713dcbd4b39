/** Where in a schema the mark `private` applies to a field, and where it is refused. */
import { describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

const SSN = "CANARY-4711-0815";

describe("private marks", () => {
  const mark = { "x-baton": { private: true } };
  const named = { properties: { ssn: mark } };
  it.each([
    { if: named },
    { not: { required: ["x"], ...named } },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    { if: {}, then: named, else: { if: { not: { allOf: [named], required: ["x"] } } } },
    { if: { required: ["x"] }, else: named },
    { dependentSchemas: { name: named } },
    { allOf: [{ anyOf: [{ oneOf: [named] }] }] },
    { $defs: { rule: named }, if: { $ref: "#/$defs/rule" } },
    { properties: { ssn: { properties: { "x-baton": mark } } } },
  ])("apply wherever the schema names their field: %j", async (schema) => {
    const agent = await TestAgent.create(client, { schema, fields: { ssn: SSN, name: "Ada" } });
    expect(Object.keys((await agent.session()).fields.ssn)).toEqual(["$private"]);
    const answers = ["", "/events?after=0", "/export"].map((path) => agent.call("GET", path));
    for (const { text } of await Promise.all(answers)) expect(text).not.toContain(SSN);
  });

  it.each([
    ["schema.$defs.unused", { $defs: { unused: mark } }],
    ["schema.$defs.unused.properties.ssn", { $defs: { unused: named } }],
    ["schema.$defs.unused", { $defs: { unused: mark }, properties: { child: { $ref: "#" } } }],
    ["schema.patternProperties.^s", { patternProperties: { "^s": mark } }],
    ["schema.not.patternProperties.^s", { not: { patternProperties: { "^s": mark } } }],
    ["schema.if", { if: mark }],
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    ["schema.then.additionalProperties", { then: { additionalProperties: mark } }],
    ["schema.dependentSchemas.ssn", { dependentSchemas: { ssn: mark } }],
    ["schema.allOf[0].items.properties.ssn", { allOf: [{ items: named }] }],
    ["schema.later.properties.ssn", { later: named }],
    [
      "patternProperties",
      {
        $defs: { secret: mark },
        properties: { ssn: { $ref: "#/$defs/secret" } },
        if: { patternProperties: { "^s": { $ref: "#/$defs/secret" } } },
      },
    ],
  ])("are refused at %s, which names no field: %j", async (path, schema) => {
    const refused = await client.call("POST", "/sessions", { body: { schema } });
    expect([refused.status, refused.body.at]).toEqual([400, "schema"]);
    expect(refused.body.detail).toContain(`${path}: "private" must be on a field`);
  });
});
