/**
 * Wrong codes from one address, counted in an object that the address names. While an address has to
 * wait nothing is looked up or written for it; a day after its last miss its storage is emptied.
 */
import { DurableObject } from "cloudflare:workers";
import { afterMiss, MISS_MEMORY_MS, waitMsOf } from "../domain/links/miss-limit";
import type { Env } from "../env";
import { MissStore } from "../storage/miss-store";
import type { MissPort } from "./messages";
import { openStorage } from "./storage-port";

export class MissCounter extends DurableObject<Env> implements MissPort {
  readonly #misses: MissStore;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#misses = new MissStore(openStorage(state.storage, { rowsRead: 0, rowsWritten: 0 }));
  }

  async waitMs(): Promise<number> {
    return waitMsOf(this.#misses.read(), Date.now());
  }

  async miss(): Promise<number> {
    const now = Date.now();
    const misses = afterMiss(this.#misses.read(), now);
    this.#misses.write(misses);
    if ((await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(now + MISS_MEMORY_MS);
    }
    return waitMsOf(misses, now);
  }

  override async alarm(): Promise<void> {
    const over = this.#misses.read().lastAt + MISS_MEMORY_MS;
    if (Date.now() >= over) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(over);
  }
}
