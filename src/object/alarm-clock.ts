/**
 * The one alarm of an object, multiplexed over all that is due: it moves only to an earlier time.
 * Setting it costs a row, which is counted.
 */
import type { Meter } from "./storage-port";

export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  readonly #meter: Meter;
  /** Time of the armed alarm; undefined until asked for. */
  #armed: number | null | undefined;

  constructor(storage: DurableObjectStorage, meter: Meter) {
    this.#storage = storage;
    this.#meter = meter;
  }

  /** Not asked since this instance woke: the alarm may have been lost. */
  get isUnknown(): boolean {
    return this.#armed === undefined;
  }

  /** It rang, or was deleted with the storage. */
  clear(): void {
    this.#armed = null;
  }

  /** What it was set for earlier is done: it need not ring before the next thing is due. */
  async postpone(due: number): Promise<void> {
    if (this.#armed == null || this.#armed >= due) return;
    await this.#set(due);
  }

  async arm(due: number): Promise<void> {
    if (this.#armed === undefined) this.#armed = await this.#storage.getAlarm();
    if (this.#armed !== null && this.#armed <= due) return;
    await this.#set(due);
  }

  async #set(due: number): Promise<void> {
    // Before the wait: whoever comes meanwhile compares with it.
    this.#armed = due;
    await this.#storage.setAlarm(due);
    this.#meter.rowsWritten += 1;
  }
}
