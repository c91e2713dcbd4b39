/**
 * A run consists of parts. A part that fails or takes too long is reported at the end and does not affect
 * the others. A part that would start too late is skipped, so that the run ends.
 */
import { ownRuntimes } from "./process-meter.ts";
/** On a machine that is suitable for measuring, no part takes this long. */
const MAX_PART_MS = 300_000;

export class Parts {
  readonly #startedAt = Date.now();
  readonly #lastStartMs: number;
  readonly #longestMs: number;
  readonly #problems: string[] = [];

  /** `lastStartMs`: no part starts after this time. */
  constructor(lastStartMs: number, longestMs = MAX_PART_MS) {
    this.#lastStartMs = lastStartMs;
    this.#longestMs = longestMs;
  }

  get elapsedMs(): number {
    return Date.now() - this.#startedAt;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** One updating line on a terminal, separate lines elsewhere. */
  progress(text: string): void {
    const seconds = Math.round(this.elapsedMs / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (process.stderr.isTTY)
      process.stderr.write(`\r\u001B[K${text === "" ? "" : `${time} ${text}`}`);
    else if (text !== "") process.stderr.write(`${time} ${text}\n`);
  }

  /** Null if the part has no result. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    if (this.elapsedMs >= this.#lastStartMs)
      return this.#leaveOut(name, "the time was up before its turn");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const tooLong = new Error(`it took more than ${this.#longestMs / 1_000} s`);
      timer = setTimeout(() => reject(tooLong), this.#longestMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      return this.#leaveOut(name, error instanceof Error ? error.message : String(error));
    } finally {
      clearTimeout(timer);
      this.progress("");
    }
  }

  #leaveOut(name: string, why: string): null {
    const problem = `${name} is missing: ${why}`;
    this.#problems.push(problem);
    console.error(problem);
    return null;
  }
}

/** A run that ends early, or by a signal, leaves no server running. */
export function endRuntimesWithThisProcess(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  process.once("exit", () => {
    for (const pid of ownRuntimes()) process.kill(pid, "SIGKILL");
  });
}
