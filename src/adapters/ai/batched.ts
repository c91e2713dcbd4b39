/** Writes a stream into a log: what arrives while an append is under way goes with the next one. */
import type { EventInput } from "../../client";

/** As many events as one append takes, with room to spare. */
const MOST = 500;

export async function writeStream<T>(
  stream: ReadableStream<T>,
  toEvent: (chunk: T, index: number) => EventInput,
  append: (events: readonly EventInput[]) => Promise<unknown>,
): Promise<void> {
  const reader = stream.getReader();
  const failures: unknown[] = [];
  let waiting: EventInput[] = [];
  let writing: Promise<unknown> | null = null;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      await append(batch);
    }
  };
  for (let index = 0; failures.length === 0; index += 1) {
    const { done, value } = await reader.read();
    if (done) break;
    waiting.push(toEvent(value, index));
    writing ??= flush()
      .catch((error: unknown) => failures.push(error))
      .finally(() => {
        writing = null;
      });
    // A source that is faster than the log waits for it.
    if (waiting.length >= MOST) await writing;
  }
  await writing;
  if (failures.length > 0) {
    await reader.cancel(failures[0]).catch(() => undefined);
    throw failures[0];
  }
  await flush();
}
