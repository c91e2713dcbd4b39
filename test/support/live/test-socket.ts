/** A queue of the messages that a WebSocket of any kind received. */
export interface AnySocket {
  send(text: string): void;
  close(): void;
  /** Ends the connection without a close frame, if the socket supports that. */
  terminate?(): void;
  addEventListener(
    type: "message" | "close" | "error" | "open",
    // oxlint-disable-next-line typescript/no-explicit-any -- events of the platform's, of ws and of the browser's kind
    listener: (event: any) => void,
  ): void;
}

export interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- messages of every shape
type Message = any;

export class TestSocket {
  readonly closed: Promise<SocketClose>;
  readonly #socket: AnySocket;
  readonly #received: Message[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: AnySocket) {
    this.#socket = socket;
    let settle: (closing: SocketClose) => void;
    this.closed = new Promise((resolve) => {
      settle = resolve;
    });
    const end = (closing: SocketClose): void => {
      this.#isClosed = true;
      settle(closing);
      this.#wake();
    };
    socket.addEventListener("message", ({ data }) => {
      if (this.#isClosed) return;
      this.#received.push(JSON.parse(String(data)));
      this.#wake();
    });
    socket.addEventListener("close", ({ code, reason }) => end({ code, reason: String(reason) }));
    socket.addEventListener("error", () => end({ code: 1006, reason: "" }));
  }

  send(message: unknown): void {
    if (!this.#isClosed) this.#socket.send(JSON.stringify(message));
  }

  /** All unread messages, or null once the socket is closed and every message was read. */
  async receiveAll(): Promise<readonly Message[] | null> {
    while (this.#received.length === 0) {
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received.splice(0);
  }

  async receive(): Promise<Message> {
    const [first, ...rest] = (await this.receiveAll()) ?? [null];
    this.#received.unshift(...rest);
    return first;
  }

  close(): void {
    this.#socket.close();
    this.#leave();
  }

  /** Simulates a failure of the network. */
  terminate(): void {
    if (this.#socket.terminate === undefined) this.#socket.close();
    else this.#socket.terminate();
    this.#leave();
  }

  #leave(): void {
    this.#isClosed = true;
    this.#received.length = 0;
    this.#wake();
  }
}
