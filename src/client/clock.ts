/** Time as an argument: tests run hours in no time, and every wait can be ended from outside. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it fires before the time is up. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait a timer understands; longer ones are slept in parts. */
const MAX_TIMER_MS = 2_147_483_647;

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= MAX_TIMER_MS) {
      await sleepOnce(Math.min(left, MAX_TIMER_MS), signal);
    }
    signal?.throwIfAborted();
  },
};

const sleepOnce = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((settle, fail) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      settle();
    }, ms);
    function stop(): void {
      clearTimeout(timer);
      fail(signal?.reason as Error);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });

/** A controller that this signal fires too, and a way to let go of the signal again. */
export function linkedController(signal: AbortSignal | undefined): {
  readonly controller: AbortController;
  release(): void;
} {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return { controller, release: () => signal?.removeEventListener("abort", stop) };
}

/** Aborts where the time passes before what this returns is called. */
export function abortAfter(ms: number, clock: Clock, controller: AbortController): () => void {
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => controller.abort(new Error(`no response within ${ms} ms`)),
    () => undefined,
  );
  return () => timer.abort(new Error("done"));
}
