/** Waits for one event, across broken connections. */
import type { LogEvent } from "../domain/log/event";
import { followEvents } from "./event-feed";
import type { CallOptions } from "./inputs";
import type { TokenLine } from "./token-line";

/** How long to wait, and from where. */
export interface WaitOptions extends CallOptions {
  /** Give up after this time. Default: wait until the session ends. */
  readonly timeoutMs?: number | undefined;
  /**
   * Events after this seq. Default: after the cursor that the server stores, which a resume moves.
   */
  readonly after?: number | undefined;
  /** How long to go on without a connection. Default: `retry.outageMs` of `Baton.connect`. */
  readonly outageMs?: number | undefined;
}

/**
 * The first event of one of the types that matches; null if the time is over or the session has
 * ended.
 */
export async function waitForEvent(
  tokenLine: TokenLine,
  types: readonly string[],
  { timeoutMs, after, outageMs, signal }: WaitOptions,
  matches: (event: LogEvent) => boolean = () => true,
): Promise<LogEvent | null> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [signal, timeout].filter((item) => item !== undefined);
  const combined = signals.length === 0 ? undefined : AbortSignal.any(signals);
  try {
    for await (const event of followEvents(tokenLine, {
      types,
      after,
      outageMs,
      signal: combined,
    })) {
      if (matches(event)) return event;
    }
    return null;
  } catch (error) {
    if (timeout?.aborted === true && signal?.aborted !== true) return null;
    throw error;
  }
}
