/** Writes down one session's history while it happens. */
import type { Operation, Read, SessionHistory, Stream } from "./checker/history.ts";
import type { Figures } from "./figures.ts";
import type { ServerClock } from "./server-clock.ts";

export class Recorder {
  readonly operations: Operation[] = [];
  readonly reads: Read[] = [];
  readonly streams: Stream[] = [];
  readonly scopes = new Map<number, readonly string[]>();
  readonly #clock: ServerClock;
  readonly #figures: Figures;

  constructor(clock: ServerClock, figures: Figures) {
    this.#clock = clock;
    this.#figures = figures;
  }

  operation(
    way: string,
    operation: Omit<Operation, "clock" | "responded">,
    responded = Date.now(),
  ): void {
    const { outcome, invoked } = operation;
    const isOpen = outcome.kind === "unknown";
    const end = isOpen ? Number.POSITIVE_INFINITY : responded;
    this.operations.push({ ...operation, responded: end, clock: this.#clock.range(invoked, end) });
    this.#figures.count("operations", way);
    this.#figures.count("outcomes", outcome.kind === "refused" ? outcome.code : outcome.kind);
    if (outcome.kind === "ok" && outcome.replayed)
      this.#figures.count("outcomes", "of these replayed");
  }

  read(way: string, id: string, shown: Read["shown"], invoked: number): void {
    const responded = Date.now();
    this.reads.push({
      id,
      shown,
      invoked,
      responded,
      clock: this.#clock.range(invoked, responded),
    });
    this.#figures.count("operations", way);
    this.#figures.count("outcomes", "read");
  }

  history(id: string, stored: Pick<SessionHistory, "commits" | "stored">): SessionHistory {
    const { operations, reads, streams, scopes } = this;
    return { id, operations, reads, streams, scopes, ...stored };
  }
}
