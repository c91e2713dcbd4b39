/**
 * A chat transport for the AI SDK. Requests and answers pass through a Baton session, so that a
 * reloaded page or a second device can read a running answer from its start.
 */
import type { JsonObject, Session } from "../../client";
import { openNamedSession, type AdapterOptions } from "../journal";
import { sessionNameFor } from "../session-names";
import { ChatLog, chunkReader, REQUEST, type Chunk, type Message } from "./chat-log";
import { streamEvents } from "./event-stream";

/** Where the chats are stored. */
export interface BatonChatTransportOptions extends AdapterOptions {
  /**
   * Called once a request is in the log, to start the process that answers it, for example a route
   * of the app that calls `answerChat`. Not needed if a process follows the chat anyway.
   */
  readonly onRequest?: (request: {
    readonly chatId: string;
    readonly session: Session;
    readonly seq: number;
  }) => unknown;
}

/**
 * A transport for `useChat` of the Vercel AI SDK: a reloaded page continues where it was.
 *
 * @example
 * ```ts
 * import { useChat } from "@ai-sdk/react";
 * import { Baton, LocalStorageTokenStore } from "@baton-sessions/baton/client";
 * import { BatonChatTransport } from "@baton-sessions/baton/ai";
 *
 * const baton = Baton.connect("https://baton.example", { store: new LocalStorageTokenStore() });
 * const transport = new BatonChatTransport({ baton });
 * const chat = useChat({ id: "chat-1", resume: true, transport });
 * ```
 */
export class BatonChatTransport {
  /** A reconnection returns the whole answer from its first chunk. */
  readonly resumeStreamIsReplay = true;
  readonly #options: BatonChatTransportOptions;

  constructor(options: BatonChatTransportOptions) {
    this.#options = options;
  }

  /** Appends the request to the log and streams the answer as it arrives. */
  sendMessages = async (options: {
    trigger: "submit-message" | "regenerate-message";
    chatId: string;
    messageId: string | undefined;
    messages: Message[];
    abortSignal: AbortSignal | undefined;
    body?: object;
  }): Promise<ReadableStream<Chunk>> => {
    const { trigger, chatId, messageId, messages, body, abortSignal } = options;
    const session = await openNamedSession(
      this.#options,
      await this.#name(chatId),
      `Chat ${chatId}`,
    );
    const payload = JSON.parse(
      JSON.stringify({ trigger, messageId, messages, body }),
    ) as JsonObject;
    const { first: seq } = await session.append(
      { type: REQUEST, payload },
      { signal: abortSignal },
    );
    await this.#options.onRequest?.({ chatId, session, seq });
    return streamEvents(session, seq, chunkReader(seq), abortSignal);
  };

  /** The running answer from its first chunk; null if there is none. */
  reconnectToStream = async (options: {
    chatId: string;
    abortSignal?: AbortSignal;
  }): Promise<ReadableStream<Chunk> | null> => {
    const { chatId, abortSignal } = options;
    const name = await this.#name(chatId);
    const session = await this.#options.baton.find(name, { externalId: name });
    if (session === null) return null;
    const { open } = await readChat(session, abortSignal);
    if (open === null) return null;
    return streamEvents(session, open.seq, chunkReader(open.seq), abortSignal);
  };

  #name(chatId: string): Promise<string> {
    return sessionNameFor("chat", this.#options.namespace, chatId);
  }
}

export async function readChat(session: Session, signal?: AbortSignal): Promise<ChatLog> {
  const log = new ChatLog();
  for (let after = 0, more = true; more; ) {
    const page = await session.page({ after, limit: 20_000, types: ["chat.*"], signal });
    for (const event of page.events) log.fold(event);
    after = page.nextAfter;
    ({ more } = page);
  }
  return log;
}
