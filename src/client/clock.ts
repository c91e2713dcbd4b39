/** Time as a dependency, so that tests need not wait and a signal can end every wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason if the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait of a timer. Longer waits are slept in parts. */
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
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });

/** A controller that aborts with this signal, and a function that stops listening to the signal. */
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

/** Aborts after this time, unless the returned function is called first. */
export function abortAfter(ms: number, clock: Clock, controller: AbortController): () => void {
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => controller.abort(new Error(`no response within ${ms} ms`)),
    () => undefined,
  );
  return () => timer.abort(new Error("done"));
}
