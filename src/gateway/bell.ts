/** Waits for the word of a queue, or of several, over sockets that cost nothing while nothing is said. */
import { LIMITS } from "../domain/limits";
import { Sleeper } from "./sleeper";

export class Bell {
  readonly #sockets: readonly WebSocket[];
  #hasRung = false;
  #isClosed = false;
  readonly #sleeper = new Sleeper();

  constructor(...sockets: readonly WebSocket[]) {
    this.#sockets = sockets;
    for (const socket of sockets) {
      socket.addEventListener("message", () => this.#ring());
      socket.addEventListener("close", () => this.#end());
      socket.addEventListener("error", () => this.#end());
    }
  }

  async rung(timeoutMs: number): Promise<void> {
    if (!this.#hasRung) await this.#sleeper.sleep(Date.now() + Math.min(timeoutMs, LIMITS.waitMs));
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
    for (const socket of this.#sockets) socket.close(1000);
  }

  #ring(): void {
    this.#hasRung = true;
    this.#sleeper.end();
  }
}
