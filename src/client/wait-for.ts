/** Waiting for one event in one line, over connections that come and go. */
import type { LogEvent } from "../domain/log/event";
import { followEvents } from "./event-feed";
import type { CallOptions } from "./inputs";
import type { TokenLine } from "./token-line";

/** How long to wait, and from where. */
export interface WaitOptions extends CallOptions {
  /** Give up after this long; absent: wait as long as the session lives. */
  readonly timeoutMs?: number | undefined;
  /** Events after this seq; absent: after the cursor that the server keeps, which a resume moves. */
  readonly after?: number | undefined;
  /** How long to go on without a connection; `retry.outageMs` of `Baton.connect` unless given. */
  readonly outageMs?: number | undefined;
}

/** The first event of one of the types that is meant; null where the time is over or the session has ended. */
export async function waitForEvent(
  tokenLine: TokenLine,
  types: readonly string[],
  { timeoutMs, after, outageMs, signal }: WaitOptions,
  isMeant: (event: LogEvent) => boolean = () => true,
): Promise<LogEvent | null> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signals = [signal, late].filter((one) => one !== undefined);
  const ending = signals.length === 0 ? undefined : AbortSignal.any(signals);
  try {
    for await (const event of followEvents(tokenLine, { types, after, outageMs, signal: ending })) {
      if (isMeant(event)) return event;
    }
    return null;
  } catch (error) {
    if (late?.aborted === true && signal?.aborted !== true) return null;
    throw error;
  }
}
