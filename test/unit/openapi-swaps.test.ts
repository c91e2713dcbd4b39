import { describe, expect, it } from "vitest";
import type { Fixture } from "../conformance/openapi/fixtures.ts";
import { OperationSchema, swapBody, swapHeaders, swapQuery } from "../conformance/openapi/swaps.ts";

const DOCUMENT = {
  paths: {
    "/a": {
      post: {
        operationId: "write",
        parameters: [
          { in: "header", name: "If-Match", schema: { type: "string", pattern: '^"[0-9]+"$' } },
          { in: "query", name: "after", schema: { type: "integer", minimum: 0, maximum: 900 } },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Body" } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Id: { type: "string", pattern: "^chk_[1-9]$" },
      Body: {
        oneOf: [
          { properties: { from: { $ref: "#/components/schemas/Id" }, ttlMs: { type: "integer" } } },
          { properties: { ttlMs: { type: "integer", maximum: 9 } } },
        ],
      },
    },
  },
};
const described = new OperationSchema(DOCUMENT, "write");
const SCENE: Fixture = {
  path: {},
  token: "live",
  ownerKey: "key-of-the-server",
  version: 7,
  head: 5,
  swaps: { from: { value: "chk_9" }, ttlMs: { value: 1, when: (value) => Number(value) > 3 } },
};
const bodyAfter = (body: unknown, scene = SCENE): unknown => {
  const swapped = swapBody(new TextEncoder().encode(JSON.stringify(body)), described, scene);
  return JSON.parse(typeof swapped === "string" ? swapped : new TextDecoder().decode(swapped));
};
const headersAfter = (headers: Record<string, string>): Record<string, string> => {
  const swapped = new Headers(headers);
  swapHeaders(swapped, described, SCENE);
  return Object.fromEntries(swapped);
};

describe("a generated request on its way to the server", () => {
  it("gets live values if its own fit the document", () => {
    expect(bodyAfter({ from: "chk_1", ttlMs: 4 })).toEqual({ from: "chk_9", ttlMs: 1 });
    expect(headersAfter({ "If-Match": '"3"', Authorization: "Bearer ABC" })).toEqual({
      "if-match": '"7"',
      authorization: "Bearer live",
    });
    const query = new URLSearchParams({ after: "800" });
    swapQuery(query, described, SCENE);
    expect(query.get("after")).toBe("5");
  });

  it.each([
    { from: "chk_0" },
    { from: null },
    { from: 1 },
    { ttlMs: null },
    { ttlMs: "4" },
    { ttlMs: 4.5 },
    { ttlMs: true },
    { ttlMs: 3 },
    { other: "chk_1" },
    {},
    [],
    "chk_1",
    null,
  ])("keeps the body %j unchanged", (body) => {
    expect(bodyAfter(body)).toEqual(body);
  });

  it("keeps invalid headers and queries, and gets no new ones", () => {
    for (const wrong of [{ "if-match": "3" }, { authorization: "ABC" }, {}]) {
      expect(headersAfter(wrong)).toEqual(wrong);
    }
    for (const wrong of ["901", "-1", "x", "1.5", ""]) {
      const query = new URLSearchParams({ after: wrong });
      swapQuery(query, described, SCENE);
      expect(query.get("after")).toBe(wrong);
    }
  });
});
