/** A WebSocket of any kind as a queue: what it said so far, one message after another. */
export interface AnySocket {
  send(text: string): void;
  close(): void;
  /** Breaks off without a goodbye, where the socket can. */
  terminate?(): void;
  addEventListener(
    type: "message" | "close" | "error" | "open",
    // oxlint-disable-next-line typescript/no-explicit-any -- events of the platform's, of ws and of the browser's kind
    hear: (event: any) => void,
  ): void;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- messages of every shape
type Message = any;

export class Conversation {
  readonly closed: Promise<Closing>;
  readonly #socket: AnySocket;
  readonly #heard: Message[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: AnySocket) {
    this.#socket = socket;
    let settle: (closing: Closing) => void;
    this.closed = new Promise((resolve) => {
      settle = resolve;
    });
    const end = (closing: Closing): void => {
      this.#isClosed = true;
      settle(closing);
      this.#wake();
    };
    socket.addEventListener("message", ({ data }) => {
      if (this.#isClosed) return;
      this.#heard.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.addEventListener("close", ({ code, reason }) => end({ code, reason: String(reason) }));
    socket.addEventListener("error", () => end({ code: 1006, reason: "" }));
  }

  say(message: unknown): void {
    if (!this.#isClosed) this.#socket.send(JSON.stringify(message));
  }

  /** All that was said and not yet heard; null once it is closed and all was heard. */
  async hearAll(): Promise<readonly Message[] | null> {
    while (this.#heard.length === 0) {
      if (this.#isClosed) return null;
      await new Promise<void>((settle) => {
        this.#wake = settle;
      });
    }
    return this.#heard.splice(0);
  }

  async hear(): Promise<Message> {
    const [first, ...rest] = (await this.hearAll()) ?? [null];
    this.#heard.unshift(...rest);
    return first;
  }

  close(): void {
    this.#socket.close();
    this.#leave();
  }

  /** As when the network fails. */
  breakOff(): void {
    if (this.#socket.terminate === undefined) this.#socket.close();
    else this.#socket.terminate();
    this.#leave();
  }

  #leave(): void {
    this.#isClosed = true;
    this.#heard.length = 0;
    this.#wake();
  }
}
