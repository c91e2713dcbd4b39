/**
 * Sends the session's outbox messages to other objects, after the response and again from the alarm
 * until each has acknowledged. A message carries the session's seq: a receiver drops what it knows.
 * One round runs at a time; messages that are added meanwhile are sent by the same round.
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

/** Delay of the next attempt, doubled after each failure. */
const RETRY: Backoff = { baseMs: 5_000, maxMs: 5 * 60_000, jitter: 0 };

export class Outbox {
  /** Read each time: tests inject a fault by giving the object another binding. */
  readonly #env: () => Env;
  readonly #context: SessionContext;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(env: () => Env, context: SessionContext) {
    this.#env = env;
    this.#context = context;
  }

  get hasPending(): boolean {
    return this.#context.store.outbox().untold.length > 0;
  }

  /** When the alarm has to send the pending messages. */
  retryAt(now: number): number {
    return now + backoffMs(RETRY, this.#failures + 1);
  }

  /** Never throws: unsent messages stay pending. */
  flush(): Promise<void> {
    this.#running ??= this.#sendRounds().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sendRounds(): Promise<void> {
    const { store } = this.#context;
    for (;;) {
      const pending = store.exists() ? store.outbox().untold : [];
      const receivers = [...new Set(pending.map(({ to }) => to))];
      if (receivers.length === 0) return;
      const results = await Promise.all(receivers.map((to) => this.#send(to, pending)));
      if (!results.includes(true)) return;
    }
  }

  /** Did the receiver acknowledge? */
  async #send(to: string, pending: readonly OutboxMessage[]): Promise<boolean> {
    const messages = pending.filter((one) => one.to === to);
    try {
      if (to === DIRECTORY_RECEIVER) await notifyDirectory(this.#env(), this.#context, messages);
      else await notifyEndpoint(this.#env(), this.#context, to, messages);
    } catch {
      this.#failures += 1;
      return false;
    }
    this.#failures = 0;
    const { store } = this.#context;
    const upTo = messages.at(-1)?.seq ?? 0;
    // If the session was purged meanwhile, there is no row left to update.
    if (store.exists()) {
      store.transaction(() =>
        store.saveOutbox(withoutAcknowledged(store.outbox(), to, upTo), false),
      );
    }
    return true;
  }

  /**
   * Makes the directory and the endpoints forget the session. Throws if one did not acknowledge.
   */
  async notifyRemoval(): Promise<void> {
    // Pending messages go first: nothing may follow the removal, and the owner learns how the
    // session ended.
    await this.flush();
    const { untold: pending } = this.#context.store.outbox();
    if (pending.some(({ to }) => to === DIRECTORY_RECEIVER))
      throw new Error("the owner was not told yet");
    await Promise.all([
      unlistSession(this.#env(), this.#context),
      removeEndpoints(this.#env(), this.#context),
    ]);
  }
}
