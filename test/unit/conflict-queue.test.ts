import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domain/limits.ts";
import { ConflictQueue } from "../../src/object/write-handlers.ts";

type WriteResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly failure: { code: string } };

/** A version that each accepted write increments, and writers that retry with the version they were shown. */
function makeSession() {
  const queue = new ConflictQueue();
  const session = { version: 1, attempts: 0 };
  const attempt = async (base: number): Promise<{ result: WriteResult; shown: number }> => {
    let shown = 0;
    const result = await queue.run((): WriteResult => {
      shown = session.version;
      if (base !== session.version) return { ok: false, failure: { code: "version_conflict" } };
      session.version += 1;
      shown = session.version;
      return { ok: true };
    });
    session.attempts += 1;
    return { result, shown };
  };
  const writer = async (times: number): Promise<void> => {
    let base = session.version;
    for (let done = 0; done < times; ) {
      const { result, shown } = await attempt(base);
      base = shown;
      if (result.ok) done += 1;
      // The round trip to the client.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return { session, queue, attempt, writer };
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

  it("are answered at once if they are alone, and otherwise in their order", async () => {
    const { session, attempt } = makeSession();
    session.version = 5;
    await expect(attempt(1)).resolves.toMatchObject({ result: { ok: false }, shown: 5 });
    const [second, third] = [attempt(1), attempt(2)];
    expect(await hasSettled(second)).toBe(false);
    await expect(attempt(5)).resolves.toMatchObject({ result: { ok: true }, shown: 6 });
    // Answered because the session changed, and with its current version.
    await expect(second).resolves.toMatchObject({ result: { ok: false }, shown: 6 });
    expect(await hasSettled(third)).toBe(false);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs - 1);
    expect(await hasSettled(third)).toBe(false);
    // The writer whose turn it was did not retry.
    await vi.advanceTimersByTimeAsync(1);
    expect(await hasSettled(third)).toBe(true);
  });

  it("wait up to queuedConflicts together, and one more is answered at once", async () => {
    const { session, attempt } = makeSession();
    session.version = 5;
    await attempt(1);
    const waiting = Array.from({ length: LIMITS.queuedConflicts }, () => attempt(1));
    expect(await hasSettled(Promise.race(waiting))).toBe(false);
    expect(await hasSettled(attempt(1))).toBe(true);
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs * (LIMITS.queuedConflicts + 1));
    await Promise.all(waiting);
    // No writer waits any more: the next loser is alone again.
    await vi.advanceTimersByTimeAsync(LIMITS.turnMs);
    expect(await hasSettled(attempt(1))).toBe(true);
  });

  it("delay nothing else: other refusals and accepted writes are answered at once", async () => {
    const { session, queue, attempt } = makeSession();
    session.version = 5;
    await attempt(1);
    const refused = queue.run(() => ({ ok: false, failure: { code: "scope_denied" } }));
    expect(await hasSettled(refused)).toBe(true);
    expect(await hasSettled(attempt(5))).toBe(true);
  });
});
