/**
 * The one alarm of an object, multiplexed over everything that is due: `arm` moves it only to an
 * earlier time. Setting it costs a billed row, which is counted.
 */
import type { Meter } from "./storage-port";

export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  readonly #meter: Meter;
  /** Time of the alarm; undefined until it is read. */
  #armed: number | null | undefined;

  constructor(storage: DurableObjectStorage, meter: Meter) {
    this.#storage = storage;
    this.#meter = meter;
  }

  /** The alarm was not read since this instance started, so it may have been lost. */
  get isUnknown(): boolean {
    return this.#armed === undefined;
  }

  /** The alarm fired, or was deleted with the storage. */
  clear(): void {
    this.#armed = null;
  }

  /** The alarm's task is done, so it need not fire before the next task is due. */
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
    // Set before the await, because concurrent calls compare with it.
    this.#armed = due;
    await this.#storage.setAlarm(due);
    this.#meter.rowsWritten += 1;
  }
}
