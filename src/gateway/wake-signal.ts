/** Waits for a signal of one or more queues, over sockets that cost nothing while they are idle. */
import { LIMITS } from "../domain/limits";
import { Sleeper } from "./sleeper";

export class WakeSignal {
  readonly #sockets: readonly WebSocket[];
  #isSignaled = false;
  #isClosed = false;
  readonly #sleeper = new Sleeper();

  constructor(...sockets: readonly WebSocket[]) {
    this.#sockets = sockets;
    for (const socket of sockets) {
      socket.addEventListener("message", () => this.#signal());
      socket.addEventListener("close", () => this.#end());
      socket.addEventListener("error", () => this.#end());
    }
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSignaled)
      await this.#sleeper.sleep(Date.now() + Math.min(timeoutMs, LIMITS.waitMs));
    this.#isSignaled = false;
  }

  /** No more signals will come. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  #end(): void {
    this.#isClosed = true;
    this.#signal();
  }

  close(): void {
    for (const socket of this.#sockets) socket.close(1000);
  }

  #signal(): void {
    this.#isSignaled = true;
    this.#sleeper.end();
  }
}
