/** A stream of the existing and future events of a log, read on demand. */
import type { LogEvent, Session } from "../../client";
import { linkedController } from "../../client/clock";

/**
 * `map` turns an event into chunks of the stream: `null` ends the stream, and an empty list skips
 * the event. The stream continues across broken connections.
 */
export function streamEvents<T>(
  session: Session,
  after: number,
  map: (event: LogEvent) => readonly T[] | null,
  signal?: AbortSignal,
): ReadableStream<T> {
  const { controller: stopped, release } = linkedController(signal);
  const events = session.events({ after, signal: stopped.signal });
  const end = (): void => {
    release();
    stopped.abort();
  };
  return new ReadableStream<T>({
    async pull(controller) {
      for (;;) {
        const next = await events.next().catch((error: unknown) => {
          if (stopped.signal.aborted) return { done: true } as const;
          throw error;
        });
        const chunks = next.done === true ? null : map(next.value);
        if (chunks === null) {
          controller.close();
          return end();
        }
        for (const chunk of chunks) controller.enqueue(chunk);
        if (chunks.length > 0) return;
      }
    },
    cancel: end,
  });
}
