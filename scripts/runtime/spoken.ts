/**
 * What workerd says on its error output, for the server's own log. A full disk is told as one JSON line
 * that somebody can watch for, in place of workerd's own and its addresses in memory.
 */
const FULL = /SQLITE_FULL|No space left on device|ENOSPC/;
/** Every write fails then: one line tells it for all of them. */
const TOLD_EVERY_MS = 10_000;

export class Spoken {
  #toldAt = -Infinity;
  #isInFull = false;

  /** What to print instead of this line; null for nothing. */
  heard(line: string, now: number): string | null {
    // Its stack follows on a line of its own.
    if (this.#isInFull && line.startsWith("stack: ")) return null;
    this.#isInFull = /^(?:workerd|kj|capnp)\//.test(line) && FULL.test(line);
    if (!this.#isInFull) return line;
    if (now - this.#toldAt < TOLD_EVERY_MS) return null;
    this.#toldAt = now;
    const detail = "Writes fail until there is space. See docs/operations.md, The disk is full.";
    return JSON.stringify({ time: new Date(now).toISOString(), message: "disk full", detail });
  }
}
