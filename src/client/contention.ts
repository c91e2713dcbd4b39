/** How long a write that loses against others is sent again: after jittered waits, and bounded by time. */
import type { WriteResult } from "./errors";
import type { ClientConfig } from "./transport";

/** How long `update` and a merge go on where others are always faster. */
const CONFLICT_TIMEOUT_MS = 30_000;
/** Short at first: one who waits while others do not loses again. */
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 500;

/** Options of writes that are sent again where others were faster. */
export interface ContentionOptions {
  /** How long to go on while others are always faster. Default 30 s. Then the conflict is the result. */
  readonly conflictTimeoutMs?: number;
}

/** The waits of one write. */
export class ContentionBackoff {
  readonly #config: ClientConfig;
  readonly #deadline: number;
  #waits = 0;

  constructor(means: ClientConfig, { conflictTimeoutMs = CONFLICT_TIMEOUT_MS }: ContentionOptions) {
    this.#config = means;
    this.#deadline = means.clock.now() + conflictTimeoutMs;
  }

  /** Waits for the next attempt; false where the time is over. Those who lost together come back apart. */
  async wait(signal: AbortSignal | undefined): Promise<boolean> {
    const { clock, random } = this.#config;
    const leftMs = this.#deadline - clock.now();
    if (leftMs <= 0) return false;
    const longest = Math.min(FIRST_WAIT_MS * 2 ** this.#waits, MAX_WAIT_MS);
    this.#waits += 1;
    await clock.sleep(Math.min(Math.ceil(longest * random()), leftMs), signal);
    return true;
  }
}

/** The SDK's own `ifMatch` is no condition of the caller: to that one the version has moved on. */
export const asVersionConflict = <F extends object>(result: WriteResult<F>): WriteResult<F> =>
  result.ok ? result : { ok: false, conflict: { ...result.conflict, code: "version_conflict" } };
