/**
 * Sleeps until it is woken or a time is reached. Its timer is kept across earlier wake-ups, because
 * setting one costs the platform more than the message that wakes. So it may wake too early, and the
 * caller must check whether there is a reason.
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Sleeper {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #settle: () => void = () => {};

  async sleep(until: number): Promise<void> {
    if (until < this.#timerAt) this.#setTimer(until);
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    this.#settle = () => {};
  }

  wake(): void {
    this.#settle();
  }

  /** Wakes, and clears the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timerAt = Infinity;
    this.wake();
  }

  #setTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const left = Math.min(Math.max(at - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.wake();
    }, left);
  }
}
