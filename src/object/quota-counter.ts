/**
 * Decides whether an owner may create one more session. Counts the listed sessions and those that
 * were admitted and are not listed yet. The latter are lost with the instance, so a few too many
 * may be admitted.
 */
import type { Quotas } from "../domain/owners/owners";
import { isTerminal, type State } from "../domain/session/state";
import type { SessionList } from "../storage/session-list";
import type { QuotaExceeded } from "./directory-messages";

const MINUTE_MS = 60_000;

export class QuotaCounter {
  /** Admitted and not listed yet, with the time of admission. */
  readonly #pending = new Map<string, number>();

  markListed(objectIdHex: string): void {
    this.#pending.delete(objectIdHex);
  }

  admit(
    objectIdHex: string,
    { openSessions, createsPerMinute }: Quotas,
    list: SessionList,
    now: number,
  ): QuotaExceeded | null {
    for (const [id, at] of this.#pending) if (at <= now - MINUTE_MS) this.#pending.delete(id);
    // The same session is requested again: it was counted already.
    if (this.#pending.has(objectIdHex) || list.has(objectIdHex)) return null;
    const waiting = this.#pending.size;
    const open = list.counts().reduce((sum, { state, n }) => sum + (isOpen(state) ? n : 0), 0);
    const exceeded =
      check("openSessions", open + waiting, openSessions) ??
      check(
        "createsPerMinute",
        list.createdSince(now - MINUTE_MS, createsPerMinute ?? 0) + waiting,
        createsPerMinute,
      );
    if (exceeded === null) this.#pending.set(objectIdHex, now);
    return exceeded;
  }
}

const isOpen = (state: string): boolean => !isTerminal(state as State);

const check = (quota: keyof Quotas, used: number, allowed: number | null): QuotaExceeded | null =>
  allowed !== null && used >= allowed ? { quota, used, allowed } : null;
