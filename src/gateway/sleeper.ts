/**
 * One that sleeps until it is woken or a time has come. Its timer stays over the wakings before that
 * time: setting one costs the platform more than the news that wakes. So it may wake too early, and
 * who sleeps looks whether there is a reason.
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Sleeper {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #settle: () => void = () => {};

  async sleep(until: number): Promise<void> {
    if (until < this.#timerAt) this.#setTimer(until);
    await new Promise<void>((settle) => {
      this.#settle = settle;
    });
    this.#settle = () => {};
  }

  wake(): void {
    this.#settle();
  }

  /** Wakes, and needs its timer no more. */
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
