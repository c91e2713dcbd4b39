/** Retries of a write that lost against other writers: after jittered waits, limited by time. */
import type { WriteResult } from "./errors";
import type { ClientConfig } from "./transport";

/** How long `update` and a merge retry while other writers are always faster. */
const CONFLICT_TIMEOUT_MS = 30_000;
/** Short at first, because a writer that waits while others do not loses again. */
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 500;

/** Options of writes that are retried after a conflict. */
export interface ContentionOptions {
  /**
   * How long to retry while other writers are always faster. Default 30 s. After that the conflict
   * is the result.
   */
  readonly conflictTimeoutMs?: number;
}

/** The waits between the attempts of one write. */
export class ContentionBackoff {
  readonly #config: ClientConfig;
  readonly #deadline: number;
  #waits = 0;

  constructor(
    config: ClientConfig,
    { conflictTimeoutMs = CONFLICT_TIMEOUT_MS }: ContentionOptions,
  ) {
    this.#config = config;
    this.#deadline = config.clock.now() + conflictTimeoutMs;
  }

  /**
   * Waits for the next attempt; false if the time is up. The jitter spreads writers that lost at
   * the same moment.
   */
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

/** The SDK set this `ifMatch` itself, so the caller sees a plain version conflict. */
export const asVersionConflict = <F extends object>(result: WriteResult<F>): WriteResult<F> =>
  result.ok ? result : { ok: false, conflict: { ...result.conflict, code: "version_conflict" } };
