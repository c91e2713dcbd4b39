/**
 * Filters workerd's error output for the server's log. A full disk is logged as one JSON line that
 * monitoring can match, in place of workerd's own lines with memory addresses.
 */
const FULL = /SQLITE_FULL|No space left on device|ENOSPC/;
/** Every write fails on a full disk, so one line is logged per interval. */
const LOG_INTERVAL_MS = 10_000;

export class RuntimeOutput {
  #loggedAt = -Infinity;
  #isDiskFull = false;

  /** The line to print in its place, or null for none. */
  filter(line: string, now: number): string | null {
    // The stack follows on a separate line.
    if (this.#isDiskFull && line.startsWith("stack: ")) return null;
    this.#isDiskFull = /^(?:workerd|kj|capnp)\//.test(line) && FULL.test(line);
    if (!this.#isDiskFull) return line;
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return null;
    this.#loggedAt = now;
    const detail = "Writes fail until there is space. See docs/operations.md, The disk is full.";
    return JSON.stringify({ time: new Date(now).toISOString(), message: "disk full", detail });
  }
}
