/**
 * What workerd says on its error output, for the server's own log. A full disk is told as one JSON line
 * that somebody can watch for, in place of workerd's own and its addresses in memory.
 */
const FULL = /SQLITE_FULL|No space left on device|ENOSPC/;
/** Every write fails then: one line tells it for all of them. */
const LOG_INTERVAL_MS = 10_000;

export class RuntimeOutput {
  #loggedAt = -Infinity;
  #isDiskFull = false;

  /** What to print instead of this line; null for nothing. */
  filter(line: string, now: number): string | null {
    // Its stack follows on a line of its own.
    if (this.#isDiskFull && line.startsWith("stack: ")) return null;
    this.#isDiskFull = /^(?:workerd|kj|capnp)\//.test(line) && FULL.test(line);
    if (!this.#isDiskFull) return line;
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return null;
    this.#loggedAt = now;
    const detail = "Writes fail until there is space. See docs/operations.md, The disk is full.";
    return JSON.stringify({ time: new Date(now).toISOString(), message: "disk full", detail });
  }
}
