import { Validator, type Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { buildOpenApi } from "../../src/protocol/openapi";
import { handoffBody } from "../../src/protocol/handoff-requests";
import { createBody } from "../../src/protocol/session-requests";

const { components } = buildOpenApi({ publicUrl: "http://baton.test", needsKey: false });
const fits = (name: string, value: unknown): boolean => {
  const schema = { $ref: `#/components/schemas/${name}`, components } as Schema;
  return new Validator(schema, "2020-12").validate(value).valid;
};
const link = (bind: unknown) => ({ to: "human", scopes: ["fill"], bind });
const LONGEST = "p".repeat(LIMITS.principalLength);

describe("a participant's binding in the API description", () => {
  it.each([
    [true, { network: true }],
    [true, { network: "203.0.113.0/24" }],
    [true, { network: "2001:db8::/48", principal: true }],
    [true, { principal: LONGEST }],
    [false, {}],
    [false, { network: false }],
    [false, { network: null, principal: true }],
    [false, { network: "somewhere" }],
    [false, { network: "" }],
    [false, { principal: "" }],
    [false, { principal: `${LONGEST}p` }],
    [false, { principal: true, other: true }],
    [false, true],
    [false, null],
  ])("is accepted and described: %j, %j", (isRight, bind) => {
    const handoff = { to: "agent", scopes: ["view"], bind };
    expect(fits("CreateSession", { bind })).toBe(isRight);
    expect(createBody.safeParse({ bind }).success).toBe(isRight);
    expect(fits("CreateHandoff", handoff)).toBe(isRight);
    expect(handoffBody.safeParse(handoff).success).toBe(isRight);
  });

  it("names the network of a link explicitly", () => {
    expect(fits("CreateHandoff", link({ network: "203.0.113.0/24", principal: true }))).toBe(true);
    expect(fits("CreateHandoff", link({ principal: "ada" }))).toBe(true);
    expect(fits("CreateHandoff", link({ network: true }))).toBe(false);
    expect(fits("CreateHandoff", link({}))).toBe(false);
  });
});
