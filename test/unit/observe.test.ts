import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { describeBug } from "../../src/domain/bug.ts";
import { COUNTED_NAMES, toDataPoint } from "../../src/observe/data-point.ts";
import type { SessionId } from "../../src/domain/ids.ts";
import { encodeEvents, splitEvents } from "../../src/domain/log/event-line.ts";
import { parseTraceparent, withTrace } from "../../src/domain/log/trace.ts";
import { outcomeOf, outcomeOfCode } from "../../src/observe/outcome.ts";
import { routePattern } from "../../src/protocol/routes.ts";
import { API_ROUTES } from "../../src/protocol/api-routes.ts";

const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentId: "00f067aa0ba902b7" };

describe("a route's pattern", () => {
  it("is found for every route, under both names of its path", () => {
    for (const { path } of Object.values(API_ROUTES)) {
      const filled = path.replaceAll(/\{\w+\}/g, "something");
      expect(routePattern(filled)).toBe(path);
      expect(routePattern(filled.replace(/^\/sessions/, "/submissions"))).toBe(path);
    }
  });

  it("is one of a few fixed texts, whatever the path", () => {
    const word = fc.oneof(
      fc.constantFrom("sessions", "submissions", "h", "events", "jobs", "mcp", "", "files"),
      fc.string(),
    );
    const known = new Set<string>();
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (segments) => {
        const pattern = routePattern(`/${segments.join("/")}`);
        known.add(pattern);
        expect(pattern).toMatch(/^(unmatched|(\/(\{\w+\}|[a-z.-]+))*\/?)$/);
      }),
    );
    expect(known.size).toBeGreaterThan(1);
  });
});

describe("a trace in lines of events", () => {
  it("is the last member of each, and leaves everything else unchanged", () => {
    const event = fc.record({
      seq: fc.nat(),
      type: fc.constant("a.b"),
      at: fc.constant("2026-01-01T00:00:00.000Z"),
      actor: fc.constant({ kind: "agent", id: "a" } as const),
      participant: fc.constantFrom("par_2", null),
      state: fc.constant("draft" as const),
      version: fc.nat(),
      payload: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant("}\n{"))),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 4 }), (events) => {
        const lines = splitEvents(withTrace(encodeEvents(events), trace));
        const read = lines.map((line) => JSON.parse(line) as unknown);
        // Compared as text, because JSON has one zero.
        expect(JSON.stringify(read)).toBe(
          JSON.stringify(events.map((one) => ({ ...JSON.parse(JSON.stringify(one)), trace }))),
        );
      }),
    );
  });

  it("is absent for any text that is not a traceparent", () => {
    fc.assert(fc.property(fc.anything(), (value) => parseTraceparent(value) === null));
    expect(parseTraceparent(`00-${trace.traceId}-${trace.parentId}-00`)).toEqual(trace);
  });
});

const ended = (status: number, headers = {}) => ({ status, headers: new Headers(headers) });

describe("an outcome", () => {
  it.each([
    [200, undefined, "ok"],
    [409, "version_conflict", "conflict"],
    [412, "precondition_failed", "conflict"],
    [409, "paused", "refused"],
    [429, "rate_limited", "refused"],
    [503, "overloaded", "failed"],
    [404, undefined, "refused"],
    [500, undefined, "failed"],
  ] as const)("of %s with %s is %s", (status, code, outcome) => {
    expect(outcomeOf(ended(status), code, "/sessions/{ref}")).toBe(outcome);
  });

  it("distinguishes a replayed answer and a fresh session from others", () => {
    const replayed = ended(201, { "Idempotent-Replayed": "true" });
    expect(outcomeOf(replayed, undefined, "/sessions")).toBe("replayed");
    expect(outcomeOf(ended(201), undefined, "/sessions/{ref}/resume")).toBe("fresh");
    expect(outcomeOf(ended(201), undefined, "/sessions")).toBe("ok");
    expect(outcomeOfCode(undefined)).toBe("ok");
  });
});

describe("docs/operations.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w.]+)` *\| (\w+)/gm)].map(([, name = "", word]) => [
    name,
    word,
  ]);

  it("names the columns of a data point in the order in which they are written", () => {
    const { indexes, blobs, doubles } = toDataPoint({
      name: "name",
      route: "route",
      method: "method",
      outcome: "outcome",
      code: "code",
      sessionId: "session" as SessionId,
      participant: "participant",
      actorKind: "actor",
      operation: "operation",
      owner: "owner",
      ms: 1,
      objectMs: 2,
      status: 3,
    });
    expect(indexes).toEqual(["name"]);
    expect(rows.filter(([name]) => name?.startsWith("blob") === true)).toEqual(
      blobs.map((value, index) => [`blob${index + 1}`, value]),
    );
    expect(rows.filter(([name]) => name?.startsWith("double") === true)).toHaveLength(
      doubles.length,
    );
  });

  it("names everything that is counted, and nothing else", () => {
    const listed = rows.map(([name]) => name).filter((name) => name?.includes(".") === true);
    expect(listed.toSorted()).toEqual([...COUNTED_NAMES, "session.purged"].toSorted());
  });

  it("queries outcomes, names and routes that exist", () => {
    const sql = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text).join("\n");
    const queried = (column: string): string[] =>
      [...sql.matchAll(new RegExp(`${column} (?:=|IN|LIKE) (\\([^)]*\\)|'[^']*')`, "g"))].flatMap(
        ([, values = ""]) => [...values.matchAll(/'([^'%]*)%?'/g)].map(([, value = ""]) => value),
      );
    const known = new Set(["request", "operation", "session.purged", ...COUNTED_NAMES]);
    expect(queried("blob1").filter((name) => !known.has(name))).toEqual([]);
    expect(queried("blob2").map(routePattern)).toEqual(queried("blob2"));
    const outcomes = new Set(["ok", "replayed", "fresh", "conflict", "refused", "failed"]);
    expect(queried("blob4").filter((name) => !outcomes.has(name))).toEqual([]);
    expect(queried("blob1").length).toBeGreaterThan(5);
    expect(queried("blob4").length).toBeGreaterThan(5);
  });
});

it("a bug is logged with its kind and its stack, never with its message", () => {
  const error = new TypeError("the field\n  held at secret\nsecret");
  const { error: kind, stack } = describeBug(error);
  expect(kind).toBe("TypeError");
  expect(stack).toContain("observe.test.ts");
  expect(stack).not.toContain("the field");
  expect(describeBug("secret")).toEqual({ error: "string", stack: "" });
});
