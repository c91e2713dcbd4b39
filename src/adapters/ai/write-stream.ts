/** Writes a stream into a log: chunks that arrive during an append go into the next one. */
import type { EventInput } from "../../client";

/** The maximum number of events per append, with a margin. */
const MAX_BATCH = 500;

/** A source of chunks: a stream, or anything iterable. */
export type ChunkSource<T> = ReadableStream<T> | AsyncIterable<T> | Iterable<T>;

export async function writeStream<T>(
  stream: ChunkSource<T>,
  toEvent: (chunk: T, index: number) => EventInput,
  append: (events: readonly EventInput[]) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  let waiting: EventInput[] = [];
  let writing: Promise<unknown> | null = null;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await append(batch);
    }
  };
  let index = 0;
  for await (const chunk of "getReader" in stream ? readChunks(stream) : stream) {
    waiting.push(toEvent(chunk, index));
    index += 1;
    writing ??= flush()
      .catch((error: unknown) => failures.push(error))
      .finally(() => {
        writing = null;
      });
    // A source that is faster than the log waits here.
    if (waiting.length >= MAX_BATCH) await writing;
    if (failures.length > 0) break;
  }
  await writing;
  if (failures.length > 0) throw failures[0];
  await flush();
}

/** With a reader, because not every browser can iterate a stream. */
async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
