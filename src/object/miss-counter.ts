/**
 * Counts wrong codes by the hash of the address that they came from, in one of a fixed number of
 * objects: however many addresses there are, the number of objects and the size of each are
 * bounded. While an address has to wait, nothing is read or written for it. A day after its last
 * miss it is forgotten.
 */
import { afterMiss, MISS_MEMORY_MS, waitMsOf } from "../domain/links/miss-limit";
import { MissStore } from "../storage/miss-store";
import type { MissCounterRpc } from "./messages";
import { StoredObject } from "./stored-object";

export class MissCounter extends StoredObject implements MissCounterRpc {
  readonly #misses = new MissStore(this.sql);

  async waitMs(address: string): Promise<number> {
    return waitMsOf(this.#misses.read(address), Date.now());
  }

  async miss(address: string): Promise<number> {
    const now = Date.now();
    const misses = afterMiss(this.#misses.read(address), now);
    this.#misses.write(address, misses);
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(now + MISS_MEMORY_MS);
    }
    return waitMsOf(misses, now);
  }

  /** Also runs in objects of older releases, one per address, which store nothing current. */
  override async alarm(): Promise<void> {
    const next = this.#misses.sweep(Date.now());
    if (next === null) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(next);
  }
}
