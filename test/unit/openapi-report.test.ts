import { describe, expect, it } from "vitest";
import {
  withJsonOnly,
  checkReport,
  selectOperations,
  readReport,
  type Case,
} from "../conformance/openapi/report.ts";

const element = (name: string, inside = ""): string =>
  `<testcase classname="x" name="Contract Tests &gt; ${name}" time="0.1">\n${inside}</testcase>\n`;
const REPORT =
  "<testsuite>" +
  element("+ve  Scenario: GET /a/(id:string) -&gt; 200") +
  element("-ve  Scenario: GET /a/(id:string) -&gt; 4xx with limit mutated") +
  element(
    "+ve  Scenario: POST /b -&gt; 201",
    '<failure message="expected status 201&#10;but &quot;400&quot;" type="x"><![CDATA[…]]></failure>',
  );
const DOCUMENT = { paths: { "/a/{id}": { get: {} }, "/b": { post: {} } } };
const SEEN = { broken: [], refusals: [400, 412, 400] };
const KNOWN = { api: "POST /b -> 201", says: 'but "400"', why: "known" };

describe("the report of a specmatic run", () => {
  const cases = readReport(REPORT);

  it("is read case by case, with what failed", () => {
    expect(cases.map(({ api, isNegative, failure }) => [api, isNegative, failure])).toEqual([
      ["GET /a/{id} -> 200", false, null],
      ["GET /a/{id} -> 4xx", true, null],
      ["POST /b -> 201", false, 'expected status 201\nbut "400"'],
    ]);
  });

  it("is good only if every failure is expected and every expected one failed", () => {
    const passing: readonly Case[] = cases.map((one) => ({ ...one, failure: null }));
    expect(checkReport(DOCUMENT, cases, [KNOWN], SEEN).isGood).toBe(true);
    expect(checkReport(DOCUMENT, cases, [], SEEN).isGood).toBe(false);
    expect(checkReport(DOCUMENT, passing, [], SEEN).isGood).toBe(true);
    expect(checkReport(DOCUMENT, passing, [KNOWN], SEEN).isGood).toBe(false);
    expect(checkReport(DOCUMENT, cases, [{ ...KNOWN, says: "another" }], SEEN).isGood).toBe(false);
  });

  it("ends with what passed and what failed, after the reason of every expected failure", () => {
    expect(checkReport(DOCUMENT, cases, [KNOWN], SEEN).lines).toEqual([
      "1 failed as expected, POST /b -> 201: known",
      "2 operations: 1 right requests succeeded, " +
        "1 wrong ones were refused (2 with 400, 1 with 412), 1 failed as expected, 0 failed",
    ]);
  });

  it("is not good without cases, with an operation left out, or after a failure of the server", () => {
    const passing: readonly Case[] = cases.map((one) => ({ ...one, failure: null }));
    const more = { paths: { ...DOCUMENT.paths, "/c": { put: {} } } };
    expect(checkReport(DOCUMENT, [], [], SEEN).isGood).toBe(false);
    expect(checkReport(more, passing, [], SEEN).lines).toContain(
      "✗ no right request passed: PUT /c",
    );
    expect(checkReport(more, passing, [], SEEN).isGood).toBe(false);
    expect(checkReport(DOCUMENT, passing, [], { ...SEEN, broken: ["submit 500"] }).isGood).toBe(
      false,
    );
  });

  it("can cover some operations, and then ignores what is expected of the others", () => {
    const named = {
      paths: { "/a/{id}": { get: { operationId: "a" } }, "/b": { post: { operationId: "b" } } },
    };
    expect(selectOperations(named, [])).toEqual(named);
    const onlyA = selectOperations(named, ["a"]);
    expect(Object.keys(onlyA.paths)).toEqual(["/a/{id}"]);
    const ofA = cases.filter(({ api }) => api.includes("/a"));
    expect(checkReport(onlyA, ofA, [KNOWN], SEEN).isGood).toBe(true);
    expect(checkReport(named, ofA, [KNOWN], SEEN).isGood).toBe(false);
  });

  it("uses a document with JSON alone if JSON is one of the media types", () => {
    const forms = { "application/json": { schema: {} }, "text/event-stream": { schema: {} } };
    const described = {
      paths: { "/a": { get: { content: forms }, put: { content: { "*/*": {} } } } },
    };
    expect(withJsonOnly(described).paths["/a"]).toEqual({
      get: { content: { "application/json": { schema: {} } } },
      put: { content: { "*/*": {} } },
    });
  });
});
