/**
 * The interface of the package `resumable-stream`, on Baton instead of Redis: a stream is written
 * into a session's log while it is read, and can be read again from any character, even after the
 * process that created it is gone.
 */
import type { Session } from "../../client";
import { openNamedSession, type AdapterOptions } from "../journal";
import { sessionNameFor } from "../session-names";
import { writeStream } from "./write-stream";
import { streamEvents } from "./event-stream";

const TEXT = "stream.text";
const DONE = "stream.done";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Where the streams are stored. */
export interface ResumableStreamOptions extends Pick<AdapterOptions, "baton" | "namespace"> {
  /** Keeps the program alive until a stream is written, on platforms that need it. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | null;
  /** How long a stream can be read. Default one day. */
  readonly ttlMs?: number;
}

/** As the package `resumable-stream` declares it. */
export interface ResumableStreamContext {
  /** The stream with this id from `skipCharacters` on; creates it if there is none. */
  resumableStream(
    streamId: string,
    makeStream: () => ReadableStream<string>,
    skipCharacters?: number,
  ): Promise<ReadableStream<string> | null>;
  /** The stream with this id; undefined if there is none, null if it is done. */
  resumeExistingStream(
    streamId: string,
    skipCharacters?: number,
  ): Promise<ReadableStream<string> | null | undefined>;
  /** Creates a stream with this id. */
  createNewResumableStream(
    streamId: string,
    makeStream: () => ReadableStream<string>,
    skipCharacters?: number,
  ): Promise<ReadableStream<string> | null>;
  /** True while it is being written, then `DONE`; null if there is none. */
  hasExistingStream(streamId: string): Promise<null | true | "DONE">;
}

/**
 * The interface of the package `resumable-stream`, with Baton instead of Redis.
 *
 * @example
 * ```ts
 * import { Baton } from "@baton-sessions/baton/client";
 * import { createResumableStreamContext } from "@baton-sessions/baton/ai";
 *
 * const streams = createResumableStreamContext({ baton: Baton.connect("http://localhost:8787") });
 * const stream = await streams.createNewResumableStream("stream-1", () => makeStream());
 * const again = await streams.resumeExistingStream("stream-1", 120);
 * ```
 */
export function createResumableStreamContext(
  options: ResumableStreamOptions,
): ResumableStreamContext {
  const { baton, namespace, waitUntil, ttlMs = DAY_MS } = options;
  const nameFor = (streamId: string): Promise<string> =>
    sessionNameFor("stream", namespace, streamId);

  async function find(streamId: string): Promise<Session | null> {
    const name = await nameFor(streamId);
    return baton.find(name, { externalId: name });
  }

  async function create(
    streamId: string,
    makeStream: () => ReadableStream<string>,
    skipCharacters = 0,
  ): Promise<ReadableStream<string>> {
    const name = await nameFor(streamId);
    const session = await openNamedSession({ baton }, name, `Stream ${streamId}`, { ttlMs });
    const writing = writeStream(makeStream(), textEvent, (events) => session.append(events)).then(
      () => session.append({ type: DONE }),
    );
    // Readers see a failure of the source as the end of the stream.
    const settled = writing.catch(() => session.append({ type: DONE }));
    waitUntil?.(settled);
    return readText(session, skipCharacters);
  }

  async function resume(
    streamId: string,
    skipCharacters = 0,
  ): Promise<ReadableStream<string> | null | undefined> {
    const session = await find(streamId);
    if (session === null) return undefined;
    return (await isDone(session)) ? null : readText(session, skipCharacters);
  }

  return {
    createNewResumableStream: create,
    resumeExistingStream: resume,
    async resumableStream(streamId, makeStream, skipCharacters) {
      const existing = await resume(streamId, skipCharacters);
      return existing === undefined ? create(streamId, makeStream, skipCharacters) : existing;
    },
    async hasExistingStream(streamId) {
      const session = await find(streamId);
      if (session === null) return null;
      return (await isDone(session)) ? "DONE" : true;
    },
  };
}

const textEvent = (text: string) => ({ type: TEXT, payload: { text } });

async function isDone(session: Session): Promise<boolean> {
  const { events } = await session.page({ after: 0, types: [DONE], limit: 1 });
  return events.length > 0;
}

function readText(session: Session, skipCharacters: number): ReadableStream<string> {
  let skip = skipCharacters;
  return streamEvents(session, 0, ({ type, payload }) => {
    if (type === DONE) return null;
    if (type !== TEXT) return [];
    const text = String(payload["text"]);
    const rest = text.slice(skip);
    skip = Math.max(0, skip - text.length);
    return rest === "" ? [] : [rest];
  });
}
