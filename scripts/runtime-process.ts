/**
 * The runtime's own process, and how it ends. Miniflare ends it with SIGKILL, which cuts requests off
 * in the middle; workerd itself, asked by SIGTERM, takes no new ones, finishes those it has, and exits.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Where Node tells of every process that this one starts. */
const CHANNEL = "child_process";

export class RuntimeProcess {
  readonly #children = new Set<ChildProcess>();

  constructor() {
    subscribe(CHANNEL, this.#heard);
  }

  readonly #heard = (message: unknown): void => {
    const child = (message as { process: ChildProcess }).process;
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
  };

  /**
   * Lets it finish for at most that long, and calls `dispose` in the moment it has ended, or is given
   * up: before Miniflare could take the end for a crash and start another.
   */
  async end(dispose: () => Promise<void>, drainMs: number): Promise<void> {
    unsubscribe(CHANNEL, this.#heard);
    const child = [...this.#children].find(({ spawnfile }) => spawnfile?.includes("workerd"));
    if (child === undefined || drainMs === 0) return dispose();
    await new Promise<void>((settle, fail) => {
      let isDisposing = false;
      const finish = (): void => {
        if (isDisposing) return;
        isDisposing = true;
        clearTimeout(timer);
        dispose().then(settle, fail);
      };
      const timer = setTimeout(finish, drainMs);
      child.prependOnceListener("exit", finish);
      child.kill("SIGTERM");
    });
  }
}
