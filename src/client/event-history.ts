/**
 * Reads all events of some types that the log still has, to restore what a process must know after
 * a crash.
 */
import type { LogEvent } from "../domain/log/event";
import { WireError } from "./errors";
import type { Session } from "./session";

export interface EventHistory {
  readonly events: readonly LogEvent[];
  /** The seq up to which the log was read. */
  readonly head: number;
}

export async function readHistory<F extends object, E extends object>(
  session: Session<F, E>,
  types: readonly string[],
  signal?: AbortSignal,
): Promise<EventHistory> {
  const events: LogEvent[] = [];
  for (let after = 0; ; ) {
    try {
      const page = await session.page({ after, types, signal });
      events.push(...(page.events as readonly LogEvent[]));
      after = page.nextAfter;
      if (!page.more) return { events, head: after };
    } catch (error) {
      const floor = error instanceof WireError ? error.problem.floor : undefined;
      if (floor === undefined || floor <= after) throw error;
      after = floor;
    }
  }
}
