import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits.ts";
import { ConflictQueue } from "../../src/object/write-handlers.ts";

type WriteResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly failure: { code: string } };

/** A version that each accepted write moves on, and writers that try again with what they were shown. */
function makeSession() {
  const turns = new ConflictQueue();
  const session = { version: 1, attempts: 0 };
  const attempt = async (base: number): Promise<{ tried: WriteResult; shown: number }> => {
    let shown = 0;
    const tried = await turns.run((): WriteResult => {
      shown = session.version;
      if (base !== session.version) return { ok: false, failure: { code: "version_conflict" } };
      session.version += 1;
      shown = session.version;
      return { ok: true };
    });
    session.attempts += 1;
    return { tried, shown };
  };
  const writer = async (times: number): Promise<void> => {
    let base = session.version;
    for (let done = 0; done < times; ) {
      const { tried, shown } = await attempt(base);
      base = shown;
      if (tried.ok) done += 1;
      // The way to the client and back.
      await new Promise((settle) => setTimeout(settle, 2));
    }
  };
  return { session, turns, attempt, writer };
}

const hasSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  void promise.then(() => (isSettled = true));
  await vi.advanceTimersByTimeAsync(0);
  return isSettled;
};

describe("writers that lose a race", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("need at most three attempts for a write, sixteen at once", async () => {
    const { session, writer } = makeSession();
    const all = Promise.all(Array.from({ length: 16 }, () => writer(20)));
    await vi.advanceTimersByTimeAsync(60_000);
    await all;
    expect(session.version).toBe(1 + 16 * 20);
    expect(session.attempts / (16 * 20)).toBeLessThanOrEqual(3);
  });

  it("are answered at once where they are alone, and in their order where they are not", async () => {
    const { session, attempt } = makeSession();
    session.version = 5;
    await expect(attempt(1)).resolves.toMatchObject({ tried: { ok: false }, shown: 5 });
    const [second, third] = [attempt(1), attempt(2)];
    expect(await hasSettled(second)).toBe(false);
    await expect(attempt(5)).resolves.toMatchObject({ tried: { ok: true }, shown: 6 });
    // Answered because the session moved, and with the session as it is by then.
    await expect(second).resolves.toMatchObject({ tried: { ok: false }, shown: 6 });
    expect(await hasSettled(third)).toBe(false);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs - 1);
    expect(await hasSettled(third)).toBe(false);
    // Whoever had the turn did not come back.
    await vi.advanceTimersByTimeAsync(1);
    expect(await hasSettled(third)).toBe(true);
  });

  it("wait up to waitingLosers together, and one more is answered at once", async () => {
    const { session, attempt } = makeSession();
    session.version = 5;
    await attempt(1);
    const waiting = Array.from({ length: LIMITS.waitingLosers }, () => attempt(1));
    expect(await hasSettled(Promise.race(waiting))).toBe(false);
    expect(await hasSettled(attempt(1))).toBe(true);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs * (LIMITS.waitingLosers + 1));
    await Promise.all(waiting);
    // Nobody waits any more: the next loser is alone again.
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs);
    expect(await hasSettled(attempt(1))).toBe(true);
  });

  it("hold back nothing else: other refusals and accepted writes are answered at once", async () => {
    const { session, turns, attempt } = makeSession();
    session.version = 5;
    await attempt(1);
    const refused = turns.run(() => ({ ok: false, failure: { code: "scope_denied" } }));
    expect(await hasSettled(refused)).toBe(true);
    expect(await hasSettled(attempt(5))).toBe(true);
  });
});
