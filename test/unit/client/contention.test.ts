import { describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore } from "../../../src/client";
import { emptySavedSession } from "../../../src/client/token-store";
import { FakeClock } from "./fake-clock";

/** A server on which others write `theirs` first, `losses` times. */
async function contended(losses: number) {
  const clock = new FakeClock();
  const sent: (string | null)[] = [];
  let version = 1;
  const view = (fields: object) => ({ id: "ses_1", title: null, state: "draft", version, fields });
  const store = new MemoryTokenStore();
  await store.save("work", {
    ...emptySavedSession("http://b.test"),
    sessionId: "ses_1",
    token: "rtok_1",
  });
  const fetch = async (_: string, init: RequestInit) => {
    const ifMatch = new Headers(init.headers).get("If-Match");
    if (init.method === "GET") return Response.json({ session: view({ theirs: 0 }) });
    sent.push(ifMatch);
    version += 1;
    if (sent.length > losses) return Response.json({ session: view({ mine: 1 }) });
    const status = ifMatch === null ? 409 : 412;
    const code = ifMatch === null ? "version_conflict" : "precondition_failed";
    const problem = { title: "Conflict", detail: "", status, code, missed: [], more: false };
    return Response.json({ ...problem, current: view({ theirs: version }) }, { status });
  };
  const baton = Baton.connect("http://b.test", { store, fetch, clock, random: () => 0.5 });
  const session = await baton.attach("work");
  await session.get();
  return { session, sent, clock };
}

const MERGE = { onConflict: "merge" } as const;

describe("a write that loses against others", () => {
  it("is merged as long as no other write touched its fields, after growing waits", async () => {
    const { session, sent, clock } = await contended(40);
    const result = await session.setFields({ mine: 1 }, MERGE);
    expect(result.ok).toBe(true);
    expect(sent).toHaveLength(41);
    expect(clock.sleeps.slice(0, 7)).toEqual([5, 10, 20, 40, 80, 160, 250]);
  });

  it("is computed again for each attempt", async () => {
    const { session, sent } = await contended(40);
    const seen: number[] = [];
    const result = await session.update(({ version }) => {
      seen.push(version);
      return { fields: { mine: version } };
    });
    expect(result?.ok).toBe(true);
    expect(sent).toHaveLength(41);
    expect(new Set(seen).size).toBe(41);
  });

  it("fails with a version conflict after 30 s", async () => {
    const { session, clock } = await contended(Infinity);
    const startedAt = clock.now();
    const merged = await session.setFields({ mine: 1 }, MERGE);
    expect(merged).toMatchObject({ ok: false, conflict: { code: "version_conflict" } });
    expect(clock.now() - startedAt).toBe(30_000);
    const updated = await session.update(() => ({ fields: { mine: 1 } }));
    expect(updated).toMatchObject({ ok: false, conflict: { code: "version_conflict" } });
    expect(clock.now() - startedAt).toBe(60_000);
  });

  it("fails after the time or the number of attempts that the caller sets", async () => {
    const { session, sent, clock } = await contended(Infinity);
    const startedAt = clock.now();
    await session.setFields({ mine: 1 }, { ...MERGE, conflictTimeoutMs: 100 });
    await session.update(() => ({ fields: { mine: 1 } }), { conflictTimeoutMs: 100 });
    expect(clock.now() - startedAt).toBe(200);
    sent.length = 0;
    await session.update(() => ({ fields: { mine: 1 } }), { attempts: 3 });
    expect(sent).toHaveLength(3);
  });

  it("returns the refusal of a condition that the caller set", async () => {
    const { session } = await contended(Infinity);
    const merged = await session.setFields({ theirs: 1 }, { ...MERGE, ifMatch: 1 });
    expect(merged).toMatchObject({ ok: false, conflict: { code: "precondition_failed" } });
  });

  it("ends when its signal aborts", async () => {
    const { session, sent, clock } = await contended(Infinity);
    const stop = new AbortController();
    clock.sleep = async (ms, signal) => {
      if (ms < 30_000 && sent.length > 20) stop.abort(new Error("enough"));
      if (ms >= 30_000) return new Promise(() => undefined);
      signal?.throwIfAborted();
    };
    const merged = session.setFields({ mine: 1 }, { ...MERGE, signal: stop.signal });
    await expect(merged).rejects.toThrow("enough");
  });
});
