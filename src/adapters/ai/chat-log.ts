/** How a chat of the AI SDK stands in a log: requests, and the chunks that answer each. */
import type { JsonObject, LogEvent } from "../../client";

export const REQUEST = "chat.request";
export const CHUNK = "chat.chunk";
export const END = "chat.end";

/** A chunk of a UI message stream, as the AI SDK declares it; passed through. */
// oxlint-disable-next-line typescript/no-explicit-any -- a union that grows with each release
export type Chunk = any;

// oxlint-disable-next-line typescript/no-explicit-any -- the app's own message type
export type Message = any;

/** What a page asked for. */
export interface ChatRequest {
  /** Names the request: the seq of its event. */
  readonly seq: number;
  /** What the page asked for, `submit-message` or `regenerate-message`. */
  readonly trigger: "submit-message" | "regenerate-message";
  /** The message that is to be made anew. */
  readonly messageId: string | undefined;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** What the page sent beside it. */
  readonly body: JsonObject | undefined;
}

/** The fold of a chat's log as far as its last request goes. */
export class ChatLog {
  #last: ChatRequest | null = null;
  #chunks: Chunk[] = [];
  #hasEnded = true;

  fold({ seq, type, payload }: Pick<LogEvent, "seq" | "type" | "payload">): void {
    if (type === REQUEST) {
      const { trigger, messageId, messages, body } = payload as unknown as ChatRequest;
      this.#last = { seq, trigger, messageId, messages, body };
      this.#chunks = [];
      this.#hasEnded = false;
    }
    if (type === CHUNK && payload["request"] === this.#last?.seq) {
      // A number that is not the next one was written by a process that had lost the chat to another.
      if (payload["index"] === this.#chunks.length) this.#chunks.push(payload["chunk"]);
    }
    if (type === END && payload["request"] === this.#last?.seq) this.#hasEnded = true;
  }

  /** The request that is not answered to its end. */
  get open(): ChatRequest | null {
    return this.#hasEnded ? null : this.#last;
  }

  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }
}

/** Gives each chunk of one request once, in order, and ends with it. */
export function chunkReader(request: number): (event: LogEvent) => readonly Chunk[] | null {
  let next = 0;
  return ({ type, payload }) => {
    if (payload["request"] !== request) return [];
    if (type === END) return null;
    if (type !== CHUNK || payload["index"] !== next) return [];
    next += 1;
    return [payload["chunk"]];
  };
}
