/**
 * Tells other objects what the session has noted for them, after the answer and again from the alarm
 * until each has acknowledged. What is told carries the session's seq: a receiver drops what it knows.
 * One round at a time; what is noted meanwhile is told by the same round.
 */
import { backoffMs, type Backoff } from "../domain/backoff";
import {
  withoutAcknowledged,
  DIRECTORY_RECEIVER,
  type OutboxMessage,
} from "../domain/owners/outbox";
import type { Env } from "../env";
import type { SessionContext } from "./session-context";
import { notifyDirectory, unlistSession } from "./notify-directory";
import { removeEndpoints, notifyEndpoint } from "./notify-endpoint";

/** By how much the next try is put off, doubled each time it fails again. */
const AGAIN: Backoff = { baseMs: 5_000, maxMs: 5 * 60_000, jitter: 0 };

export class Outbox {
  /** Asked each time: a fault is tried by giving the object another binding. */
  readonly #env: () => Env;
  readonly #room: SessionContext;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(env: () => Env, context: SessionContext) {
    this.#env = env;
    this.#room = context;
  }

  get hasPending(): boolean {
    return this.#room.store.outbox().untold.length > 0;
  }

  /** When the alarm has to see to what is untold. */
  retryAt(now: number): number {
    return now + backoffMs(AGAIN, this.#failures + 1);
  }

  /** Never throws: what could not be told stays noted. */
  flush(): Promise<void> {
    this.#running ??= this.#rounds().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #rounds(): Promise<void> {
    const { store } = this.#room;
    for (;;) {
      const untold = store.exists() ? store.outbox().untold : [];
      const receivers = [...new Set(untold.map(({ to }) => to))];
      if (receivers.length === 0) return;
      const told = await Promise.all(receivers.map((to) => this.#tell(to, untold)));
      if (!told.includes(true)) return;
    }
  }

  /** Did the receiver acknowledge? */
  async #tell(to: string, untold: readonly OutboxMessage[]): Promise<boolean> {
    const tellings = untold.filter((one) => one.to === to);
    try {
      if (to === DIRECTORY_RECEIVER) await notifyDirectory(this.#env(), this.#room, tellings);
      else await notifyEndpoint(this.#env(), this.#room, to, tellings);
    } catch {
      this.#failures += 1;
      return false;
    }
    this.#failures = 0;
    const { store } = this.#room;
    const upTo = tellings.at(-1)?.seq ?? 0;
    // Purged meanwhile: then there is nothing left to note it in.
    if (store.exists()) {
      store.transaction(() =>
        store.saveOutbox(withoutAcknowledged(store.outbox(), to, upTo), false),
      );
    }
    return true;
  }

  /** The directory and the endpoints forget the session. Throws where one could not be told. */
  async notifyRemoval(): Promise<void> {
    // What was noted is told first: nothing comes after the removal, and its owner hears how it ended.
    await this.flush();
    const { untold } = this.#room.store.outbox();
    if (untold.some(({ to }) => to === DIRECTORY_RECEIVER))
      throw new Error("the owner was not told yet");
    await Promise.all([
      unlistSession(this.#env(), this.#room),
      removeEndpoints(this.#env(), this.#room),
    ]);
  }
}
