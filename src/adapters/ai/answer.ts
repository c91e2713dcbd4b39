/**
 * The other end of the transport: answers the request that is open in a chat's session. Called again
 * after a crash it goes on behind the chunks that are in the log already.
 */
import type { Session } from "../../client";
import { writeStream, type ChunkSource } from "./write-stream";
import { CHUNK, END, type Chunk, type ChatRequest } from "./chat-log";
import { readChat } from "./transport";

/** What is to be answered. */
export interface AnswerContext extends ChatRequest {
  /** What an earlier attempt has written of this answer. What you return goes on behind it. */
  readonly written: readonly Chunk[];
}

/**
 * Writes the answer to the open request, from a stream or any other source of chunks; false where none
 * is open.
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
