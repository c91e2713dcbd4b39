/**
 * The server side of the transport: answers the open request of a chat's session. Called again
 * after a crash, it continues after the chunks that are already in the log.
 */
import type { Session } from "../../client";
import { writeStream, type ChunkSource } from "./write-stream";
import { CHUNK, END, type Chunk, type ChatRequest } from "./chat-log";
import { readChat } from "./transport";

/** The request to answer. */
export interface AnswerContext extends ChatRequest {
  /** The chunks that an earlier attempt has written. The returned chunks continue after them. */
  readonly written: readonly Chunk[];
}

/**
 * Writes the answer to the open request, from a stream or another source of chunks; false if no
 * request is open.
 *
 * @example
 * ```ts
 * import { answerChat } from "@baton-sessions/baton/ai";
 *
 * const isAnswered = await answerChat(session, async ({ messages, written }) => {
 *   // A UI message stream, for instance of streamText(…). It must go on behind `written`.
 *   return makeStream(messages, written.length);
 * });
 * ```
 */
export async function answerChat(
  session: Session,
  answer: (context: AnswerContext) => ChunkSource<Chunk> | Promise<ChunkSource<Chunk>>,
  signal?: AbortSignal,
): Promise<boolean> {
  const { open, chunks } = await readChat(session, signal);
  if (open === null) return false;
  const { seq: request } = open;
  const stream = await answer({ ...open, written: chunks });
  await writeStream(
    stream,
    (chunk, index) => ({
      type: CHUNK,
      payload: { request, index: chunks.length + index, chunk: toJson(chunk) as never },
    }),
    (events) => session.append(events, { signal }),
  );
  await session.append({ type: END, payload: { request } }, { signal });
  return true;
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
