/** A clock that only tests move: sleeps are noted and end at once, or when told to. */
import type { Clock } from "../../../src/client/index.ts";

export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  /** Limits of attempts never pass here; waits between attempts do. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms >= 30_000) return waitForAbort(signal);
    this.sleeps.push(ms);
    this.#now += ms;
    await Promise.resolve();
    signal?.throwIfAborted();
  }
}

export const waitForAbort = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, fail) => {
    signal?.addEventListener("abort", () => fail(signal.reason as Error), { once: true });
  });
