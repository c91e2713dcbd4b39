import { describe, expect, it } from "vitest";
import {
  Baton,
  MemoryTokenStore,
  TransportError,
  WireError,
  type ConnectOptions,
  type SavedSession,
} from "../../../src/client/index.ts";
import { FakeClock, waitForAbort } from "./fake-clock.ts";

const TOKEN = "rtok_first";
const SESSION = { id: "ses_one", title: null, state: "draft", version: 1, head: 2 };

const SAVED: SavedSession = {
  format: 1,
  url: "http://baton.test",
  sessionId: SESSION.id,
  token: TOKEN,
  pending: null,
  title: null,
  state: null,
  successor: null,
  savedAt: "",
};

interface SeenRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A server that returns these answers in order and repeats the last one. */
function fakeServer(...answers: readonly (() => Response | Promise<Response>)[]) {
  const seen: SeenRequest[] = [];
  const fetch: NonNullable<ConnectOptions["fetch"]> = async (url, init) => {
    seen.push({ url, headers: init.headers as Record<string, string>, body: init.body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    if (answer === undefined) throw new Error("no answer planned");
    return answer();
  };
  return { seen, fetch };
}

const ok = (extra: object = {}) =>
  Response.json({ session: SESSION, resumeToken: "rtok_next", ...extra });
const lost = (): never => {
  throw new TypeError("fetch failed");
};
const refuse = (code: string, status: number, extra: object = {}) =>
  Response.json({ code, status, title: code, detail: "", ...extra }, { status });

async function attached(
  answers: readonly (() => Response | Promise<Response>)[],
  retry: ConnectOptions["retry"] = {},
) {
  const clock = new FakeClock();
  const store = new MemoryTokenStore();
  const { seen, fetch } = fakeServer(...answers);
  const baton = Baton.connect("http://baton.test/", {
    fetch,
    clock,
    store,
    random: () => 0.5,
    retry,
  });
  await store.save("work", SAVED);
  const session = await baton.attach("work");
  return { clock, store, seen, session };
}

describe("a lost response", () => {
  it("is followed by the identical request, after a backoff that doubles up to its maximum", async () => {
    const { clock, seen, session } = await attached([lost, lost, lost, () => ok()], {
      baseMs: 100,
      maxMs: 300,
      jitter: 0,
    });

    await session.setFields({ a: 1 });

    expect(clock.sleeps).toEqual([100, 200, 300]);
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]?.headers["Idempotency-Key"]).toMatch(/^[0-9a-f]{48}$/);
    expect(session.token).toBe("rtok_next");
  });

  it("can also be a truncated body, or the answer of a proxy", async () => {
    const { clock, seen, session } = await attached(
      [
        () => new Response('{"session": {"id": "ses'),
        () => new Response("<html>", { status: 502, headers: { "Retry-After": "2" } }),
        () => ok(),
      ],
      { jitter: 0 },
    );

    await session.pause();

    expect(seen).toHaveLength(3);
    expect(clock.sleeps).toEqual([250, 2_000]);
  });

  it("is retried after the wait that the server requests, never earlier", async () => {
    const { clock, session } = await attached(
      [() => refuse("overloaded", 503, { retryAfterMs: 1_500 }), () => ok()],
      { jitter: 0.1 },
    );

    await session.pause();

    expect(clock.sleeps).toEqual([1_575]);
  });

  it("ends in a TransportError after all attempts, and repeating the call repeats the request", async () => {
    const { seen, store, session } = await attached(
      [lost, lost, () => ok({ first: 3, last: 3, head: 3 })],
      {
        attempts: 2,
      },
    );

    const failed = await session.append({ type: "a.b" }).catch((error: unknown) => error);
    const pending = (await store.load("work"))?.pending;
    await session.append({ type: "a.b" });

    expect(failed).toBeInstanceOf(TransportError);
    expect(failed).toMatchObject({ attempts: 2, isPending: true });
    expect(pending).toMatchObject({ operation: "append", token: TOKEN });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ headers }) => headers["Idempotency-Key"])).size).toBe(1);
    expect((await store.load("work"))?.pending).toBeNull();
  });

  it("is settled before the next request", async () => {
    const { seen, session } = await attached([lost, () => ok()], { attempts: 1 });

    await session.append({ type: "a.b" }).catch(() => undefined);
    await session.pause();

    expect(seen.map(({ url }) => url.split("/").at(-1))).toEqual(["events", "events", "pause"]);
  });

  it("keeps a request pending that the server could not accept yet", async () => {
    const { store, session } = await attached(
      [() => refuse("rate_limited", 429, { retryAfterMs: 1 })],
      { attempts: 3 },
    );

    await expect(session.pause()).rejects.toThrow(WireError);

    expect((await store.load("work"))?.pending).toMatchObject({ operation: "pause" });
  });
});

describe("a refusal", () => {
  it("is a WireError with the server's problem, and nothing stays pending", async () => {
    const { store, session } = await attached([
      () => refuse("illegal_transition", 409, { allowed: ["get"] }),
    ]);

    const error = await session.submit().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      name: "WireError",
      code: "illegal_transition",
      status: 409,
      problem: { allowed: ["get"] },
    });
    expect((await store.load("work"))?.pending).toBeNull();
    expect(session.token).toBe(TOKEN);
  });

  it("of an outdated write is returned as a value", async () => {
    const conflict = { current: { ...SESSION, version: 9 }, missed: [], more: false };
    const { session } = await attached([() => refuse("version_conflict", 409, conflict)]);

    expect(await session.setFields({ a: 1 })).toEqual({
      ok: false,
      conflict: { code: "version_conflict", ...conflict },
    });
  });

  it("of a purge because the session is gone counts as success, and deletes what was saved", async () => {
    const { store, session } = await attached([lost, () => refuse("gone", 410)]);

    await session.purge();

    expect(await store.load("work")).toBeNull();
  });
});

describe("writes", () => {
  it("go one after another, each with the newest token", async () => {
    let number = 0;
    const next = () => ok({ resumeToken: `rtok_${(number += 1)}` });
    const { seen, session } = await attached([next]);

    await Promise.all([session.pause(), session.unpause(), session.setFields({ a: 1 })]);

    expect(seen.map(({ headers }) => headers["Authorization"])).toEqual([
      `Bearer ${TOKEN}`,
      "Bearer rtok_1",
      "Bearer rtok_2",
    ]);
  });

  it("are saved with their token and key before they are sent", async () => {
    const store = new MemoryTokenStore();
    let saved: unknown;
    const fetch: NonNullable<ConnectOptions["fetch"]> = async (_, init) => {
      saved = await store.load("work");
      expect((init.headers as Record<string, string>)["Idempotency-Key"]).toBe(
        (saved as { pending: { key: string } }).pending.key,
      );
      return ok();
    };
    await store.save("work", SAVED);
    const session = await Baton.connect("http://baton.test", { fetch, store }).attach("work");

    await session.setFields({ a: 1 });

    expect(saved).toMatchObject({
      token: TOKEN,
      pending: { operation: "setFields", token: TOKEN, body: '{"fields":{"a":1}}' },
    });
    expect(await store.load("work")).toMatchObject({ token: "rtok_next", pending: null });
  });
});

describe("an abort", () => {
  it("ends the wait for an answer, the wait before the next attempt and the wait in the queue", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const hanging = async (): Promise<never> => waitForAbort(signal);
    const { session } = await attached([hanging]);
    const first = session.pause({}, { signal });
    const second = session.unpause({}, { signal });
    await Promise.resolve();

    controller.abort(new Error("enough"));

    await expect(first).rejects.toThrow("enough");
    await expect(second).rejects.toThrow("enough");
  });

  it("during a backoff leaves the request pending", async () => {
    const controller = new AbortController();
    const stopping = (): never => {
      controller.abort(new Error("enough"));
      throw new TypeError("fetch failed");
    };
    const { store, session } = await attached([stopping, () => ok()]);

    await expect(session.pause({}, { signal: controller.signal })).rejects.toThrow("enough");
    expect((await store.load("work"))?.pending).toMatchObject({ operation: "pause" });

    expect(await session.settle()).toMatchObject({ operation: "pause", isDone: true });
    expect((await store.load("work"))?.token).toBe("rtok_next");
  });
});

it("connect accepts only http and https addresses", () => {
  expect(() => Baton.connect("ftp://baton.test")).toThrow(TypeError);
  expect(Baton.connect("https://baton.test/base/").url).toBe("https://baton.test/base");
});
