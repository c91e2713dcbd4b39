import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseAs } from "../../src/protocol/parse-json.ts";
import { queryErrorText } from "../../src/protocol/schema-error-text.ts";

const schema = z
  .object({
    text: z.string().min(2).max(5).optional(),
    count: z.int().min(1).max(1_000).optional(),
    list: z.array(z.string()).max(2).optional(),
    kind: z.enum(["a", "b"]).optional(),
    at: z.iso.datetime().optional(),
    part: z.object({ name: z.string() }).strict().optional(),
    own: z.string().regex(/^x/, { error: "own begins with x" }).optional(),
  })
  .strict();

describe("a body of the wrong shape", () => {
  it.each([
    [[], undefined, "The body must be an object, not a list"],
    [{ text: 1 }, "text", '"text" must be a string, not a number'],
    [{ text: null }, "text", '"text" must be a string, not null'],
    [{ text: "x" }, "text", '"text" must have at least 2 characters'],
    [{ text: "xxxxxx" }, "text", '"text" must have at most 5 characters'],
    [{ count: 0 }, "count", '"count" must be at least 1'],
    [{ count: 1_001 }, "count", '"count" must be at most 1,000'],
    [{ count: 1.5 }, "count", '"count" must be a whole number, not a number'],
    [{ list: ["a", "b", "c"] }, "list", '"list" must have at most 2 entries'],
    [{ kind: "c" }, "kind", '"kind" must be one of "a", "b"'],
    [{ at: "today" }, "at", '"at" must be a date and time such as 2026-01-31T12:00:00Z'],
    [{ part: {} }, "part.name", '"part.name" is missing: it must be a string'],
    [{ part: { name: "n", nam: 1 } }, "part", '"part" has no member "nam": check the spelling'],
    [{ txt: "x" }, "txt", 'The body has no member "txt": check the spelling'],
    [{ own: "y" }, "own", "own begins with x"],
  ])("is refused with what is wrong and its path: %j", (value, at, message) => {
    const parsed = parseAs(schema, value);
    expect(parsed).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    expect(JSON.stringify(parsed)).toContain(JSON.stringify(message).slice(1, -1));
    expect(JSON.stringify(parsed)).not.toContain("\\u0000");
    if (at !== undefined) expect(parsed).toMatchObject({ error: { at } });
  });
});

it("an unknown parameter of a query is named as one", () => {
  expect(parseAs(schema, { watting: "person" }, queryErrorText)).toMatchObject({
    error: { at: "watting", detail: 'The query has no parameter "watting": check the spelling' },
  });
  expect(parseAs(schema, { text: "x" }, queryErrorText)).toMatchObject({
    error: { at: "text", detail: '"text" must have at least 2 characters' },
  });
});
