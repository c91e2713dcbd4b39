/** What a caller without a compiler is told: misspelt options, wrong addresses, wrong fields. */
import { describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore } from "../../../src/client";
import { emptySavedSession } from "../../../src/client/token-store";
import { FakeClock } from "./fake-clock";

const KEY = `bkey_${"k".repeat(43)}`;

/** A client whose server refuses everything with this problem, and the addresses it asked. */
async function connectToRefusing(problem: object) {
  const asked: string[] = [];
  const store = new MemoryTokenStore();
  await store.save("work", {
    ...emptySavedSession("http://b.test"),
    sessionId: "ses_1",
    token: "rtok_1",
  });
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json(
      { title: "No", detail: "Not so.", status: 400, ...problem },
      { status: 400 },
    );
  };
  const baton = Baton.connect("http://b.test/nowhere", { store, fetch, key: KEY });
  return { baton, session: await baton.attach("work"), asked };
}

const untyped = (options: object): object => options;

describe("a misspelt option", () => {
  it("is refused by connect", () => {
    const options = { stor: new MemoryTokenStore() } as object;
    expect(() => Baton.connect("http://b.test", options)).toThrow('connect has no option "stor"');
  });

  it("is refused by calls, and nothing is sent", async () => {
    const { baton, session, asked } = await connectToRefusing({ code: "internal" });
    const calls: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => session.setFields({ a: 1 }, untyped({ onConflit: "merge" })), '"onConflit"'],
      [() => session.set({}, untyped({ onConflict: "mergee" })), "merge, return, not mergee"],
      [() => session.update(() => null, untyped({ attempt: 1 })), '"attempt"'],
      [() => session.runWithResume(async () => 1, untyped({ onprogress: 1 })), '"onprogress"'],
      [() => baton.create({}, untyped({ name: "x" })), '"name"'],
      [() => baton.open("x", {}, untyped({ onEnd: "fresh" })), '"onEnd"'],
      [() => baton.open("x", {}, untyped({ onEnded: "new" })), "fail, fresh, not new"],
      [() => baton.find("x", untyped({ externalID: "x" })), '"externalID"'],
    ];
    for (const [call, said] of calls) await expect(call()).rejects.toThrow(said);
    expect(() => baton.sessions.list(untyped({ labels: "team:blue" }))).toThrow('"labels"');
    expect(asked).toEqual([]);
  });
});

it("a label is listed by its text too", async () => {
  const { baton, asked } = await connectToRefusing({ code: "invalid_request" });
  await expect(baton.sessions.list({ label: "team:blue" }).page()).rejects.toThrow("Not so.");
  const label = { name: "team", value: "blue" };
  await expect(baton.sessions.list({ label }).page()).rejects.toThrow("Not so.");
  expect(asked).toEqual(Array(2).fill("http://b.test/nowhere/sessions?label=team%3Ablue"));
});

it.each(["method_not_allowed", "not_found"])("%s of a create names the address", async (code) => {
  const { baton } = await connectToRefusing({ code });
  await expect(baton.create()).rejects.toThrow("Not so. The server is http://b.test/nowhere.");
  await expect(baton.templates.list()).rejects.toThrow("The server is http://b.test/nowhere.");
});

it("invalid fields name the first of them", async () => {
  const errors = [
    { field: "days", message: "must be a number" },
    { field: "city", message: "is missing" },
  ];
  const { session } = await connectToRefusing({ code: "invalid_fields", errors });
  await expect(session.setFields({ days: "x" })).rejects.toThrow(
    "No: Not so. The first is days: must be a number",
  );
});

it("an address with TLS on a port without it is told within 5 s", async () => {
  const clock = new FakeClock();
  const began = clock.now();
  const code = "ERR_SSL_WRONG_VERSION_NUMBER";
  const fetch = () =>
    Promise.reject(new TypeError("", { cause: Object.assign(new Error(), { code }) }));
  const baton = Baton.connect("https://b.test", { fetch, clock, random: () => 0.5 });
  await expect(baton.create()).rejects.toThrow(code);
  expect(clock.now() - began).toBeLessThanOrEqual(5_000);
});
