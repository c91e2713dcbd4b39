/** A clock that only tests move: sleeps are recorded and end at once. */
import type { Clock } from "../../../src/client/index.ts";

export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  /** The timeout of an attempt never fires here; waits between attempts end at once. */
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
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
