/** Waits for a queue's word over a socket that costs nothing while nothing is said. */
import { LIMITS } from "../domain/limits";

export class Bell {
  readonly #socket: WebSocket;
  #hasRung = false;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", () => this.#ring());
    socket.addEventListener("close", () => this.#end());
    socket.addEventListener("error", () => this.#end());
  }

  async rung(timeoutMs: number): Promise<void> {
    if (!this.#hasRung) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((settle) => {
        this.#wake = settle;
        timer = setTimeout(settle, Math.min(timeoutMs, LIMITS.waitMs));
      });
      clearTimeout(timer);
    }
    this.#hasRung = false;
  }

  /** Nothing will ring it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  #end(): void {
    this.#isClosed = true;
    this.#ring();
  }

  close(): void {
    this.#socket.close(1000);
  }

  #ring(): void {
    this.#hasRung = true;
    this.#wake();
  }
}
