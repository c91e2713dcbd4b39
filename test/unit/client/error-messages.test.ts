/** Errors for a caller without a compiler: misspelt options, wrong addresses, wrong fields. */
import { describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore } from "../../../src/client";
import { emptySavedSession } from "../../../src/client/token-store";
import { FakeClock } from "./fake-clock";

const KEY = `bkey_${"k".repeat(43)}`;

/** A client whose server refuses every request with this problem, and the URLs it requested. */
async function connectToRefusing(problem: object) {
  const requestedUrls: string[] = [];
  const store = new MemoryTokenStore();
  await store.save("work", {
    ...emptySavedSession("http://b.test"),
    sessionId: "ses_1",
    token: "rtok_1",
  });
  const fetch = async (url: string) => {
    requestedUrls.push(url);
    return Response.json(
      { title: "No", detail: "Not so.", status: 400, ...problem },
      { status: 400 },
    );
  };
  const baton = Baton.connect("http://b.test/nowhere", { store, fetch, key: KEY });
  return { baton, session: await baton.attach("work"), requestedUrls };
}

const untyped = (options: object): object => options;

describe("a misspelt option", () => {
  it("is refused by connect", () => {
    const options = { stor: new MemoryTokenStore() } as object;
    expect(() => Baton.connect("http://b.test", options)).toThrow('connect has no option "stor"');
  });

  it("is refused by calls, and nothing is sent", async () => {
    const { baton, session, requestedUrls } = await connectToRefusing({ code: "internal" });
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
    for (const [call, expectedText] of calls) await expect(call()).rejects.toThrow(expectedText);
    expect(() => baton.sessions.list(untyped({ labels: "team:blue" }))).toThrow('"labels"');
    expect(requestedUrls).toEqual([]);
  });
});

it("a label can be listed by its text too", async () => {
  const { baton, requestedUrls } = await connectToRefusing({ code: "invalid_request" });
  await expect(baton.sessions.list({ label: "team:blue" }).page()).rejects.toThrow("Not so.");
  const label = { name: "team", value: "blue" };
  await expect(baton.sessions.list({ label }).page()).rejects.toThrow("Not so.");
  expect(requestedUrls).toEqual(Array(2).fill("http://b.test/nowhere/sessions?label=team%3Ablue"));
});

it.each(["method_not_allowed", "not_found"])(
  "%s for a create names the server's address",
  async (code) => {
    const { baton } = await connectToRefusing({ code });
    await expect(baton.create()).rejects.toThrow("Not so. The server is http://b.test/nowhere.");
    await expect(baton.templates.list()).rejects.toThrow("The server is http://b.test/nowhere.");
  },
);

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

it("an https address of a port without TLS fails within 5 s", async () => {
  const clock = new FakeClock();
  const startedAt = clock.now();
  const code = "ERR_SSL_WRONG_VERSION_NUMBER";
  const fetch = () =>
    Promise.reject(new TypeError("", { cause: Object.assign(new Error(), { code }) }));
  const baton = Baton.connect("https://b.test", { fetch, clock, random: () => 0.5 });
  await expect(baton.create()).rejects.toThrow(code);
  expect(clock.now() - startedAt).toBeLessThanOrEqual(5_000);
});
