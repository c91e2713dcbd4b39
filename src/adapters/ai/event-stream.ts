/** A stream of what a log holds and still gets, read as fast as it is asked for. */
import type { LogEvent, Session } from "../../client";
import { linkedController } from "../../client/clock";

/**
 * `take` turns an event into what the stream gives, `null` ends it, and nothing leaves an event out.
 * Breaks of the connection are not seen: the cursor goes on where it was.
 */
export function streamEvents<T>(
  session: Session,
  after: number,
  take: (event: LogEvent) => readonly T[] | null,
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
        const given = next.done === true ? null : take(next.value);
        if (given === null) {
          controller.close();
          return end();
        }
        for (const one of given) controller.enqueue(one);
        if (given.length > 0) return;
      }
    },
    cancel: end,
  });
}
