/** A chat of the AI SDK in a log: requests, and the chunks that answer each. */
import type { JsonObject, LogEvent } from "../../client";

export const REQUEST = "chat.request";
export const CHUNK = "chat.chunk";
export const END = "chat.end";

/** A chunk of a UI message stream, as the AI SDK declares it; passed through. */
// oxlint-disable-next-line typescript/no-explicit-any -- a union that grows with each release
export type Chunk = any;

// oxlint-disable-next-line typescript/no-explicit-any -- the app's own message type
export type Message = any;

/** A request of a page. */
export interface ChatRequest {
  /** Identifies the request: the seq of its event. */
  readonly seq: number;
  /** The trigger of the request, `submit-message` or `regenerate-message`. */
  readonly trigger: "submit-message" | "regenerate-message";
  /** The message to regenerate. */
  readonly messageId: string | undefined;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Additional data of the page. */
  readonly body: JsonObject | undefined;
}

/** The fold of a chat's log, for its last request. */
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
      // An index that is not the next one was written by a process that no longer owns the answer.
      if (payload["index"] === this.#chunks.length) this.#chunks.push(payload["chunk"]);
    }
    if (type === END && payload["request"] === this.#last?.seq) this.#hasEnded = true;
  }

  /** The request that is not completely answered. */
  get open(): ChatRequest | null {
    return this.#hasEnded ? null : this.#last;
  }

  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }
}

/** Returns each chunk of one request once, in order, and null at its end. */
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
