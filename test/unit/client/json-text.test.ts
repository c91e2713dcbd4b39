import { describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore } from "../../../src/client";
import { emptySavedSession } from "../../../src/client/token-store";
import { jsonText } from "../../../src/client/json-text";

const circle: Record<string, unknown> = {};
circle["again"] = { circle };

const LOST: readonly (readonly [string, unknown])[] = [
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["a bigint", 1n],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a Map", new Map([["a", 1]])],
  ["a Set", new Set([1])],
  ["a Promise", Promise.resolve(1)],
  ["an invalid Date", new Date(Number.NaN)],
];

/** A client with a session, and the requests that it sent. */
async function counted() {
  const sent: string[] = [];
  const store = new MemoryTokenStore();
  await store.save("work", {
    ...emptySavedSession("http://baton.example"),
    sessionId: "ses_1",
    token: "t",
  });
  const baton = Baton.connect("http://baton.example", {
    store,
    fetch: async (url) => {
      sent.push(url);
      return Response.json({ code: "internal" }, { status: 400 });
    },
    retry: { attempts: 1 },
  });
  return { baton, session: await baton.attach("work"), sent };
}

describe("a value that JSON cannot carry is refused before anything is sent", () => {
  it.each(LOST)("%s as a field", async (fault, value) => {
    const { session, sent } = await counted();
    const set = session.setFields({ days: value as number });
    await expect(set).rejects.toThrow(
      new TypeError(`fields.days is ${fault}, which JSON cannot represent. Nothing was sent.`),
    );
    expect(sent).toEqual([]);
    expect(session.saved.pending).toBeNull();
  });

  it.each(LOST)("%s in the payload of an event", async (fault, value) => {
    const { session, sent } = await counted();
    const events = [{ type: "a.b" }, { type: "a.c", payload: { deep: [{ n: value as number }] } }];
    await expect(session.append(events)).rejects.toThrow(
      `events[1].payload.deep[0].n is ${fault}, which JSON cannot represent`,
    );
    expect(sent).toEqual([]);
  });

  it("in a create, in a validation and in a request by key", async () => {
    const { baton, session, sent } = await counted();
    const fields = { days: Number.NaN };
    await expect(baton.create({ fields })).rejects.toThrow("fields.days is NaN");
    await expect(session.validate(fields)).rejects.toThrow("fields.days is NaN");
    await expect(baton.templates.put("t", { fields } as never)).rejects.toThrow("is NaN");
    expect(sent).toEqual([]);
  });
});

describe("a body as text", () => {
  it("names the path of a cycle and of a missing item", () => {
    expect(() => jsonText({ circle })).toThrow(
      "circle.again.circle is an object that contains itself",
    );
    expect(() => jsonText({ list: [1, undefined] })).toThrow("list[1] is undefined");
  });

  it("equals that of JSON.stringify if nothing is lost", () => {
    const shared = { a: 1 };
    class Point {
      readonly x = 1;
    }
    const value = {
      left: undefined,
      shared,
      twice: [shared, shared],
      when: new Date(0),
      point: new Point(),
      bare: Object.create(null) as object,
      nothing: null,
      own: { toJSON: () => "said" },
    };
    expect(jsonText(value)).toBe(JSON.stringify(value));
  });
});
