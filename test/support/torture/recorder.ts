/** Writes down one session's history while it happens. */
import type { Operation, Put, Read, SessionHistory, Stream } from "./checker/history.ts";
import type { Figures } from "./figures.ts";
import type { ServerClock } from "./server-clock.ts";

export class Recorder {
  readonly operations: Operation[] = [];
  readonly reads: Read[] = [];
  readonly streams: Stream[] = [];
  readonly puts: Put[] = [];
  /** First tokens of the children of forks, as their makers were given them. */
  readonly childTokens: string[] = [];
  /** Codes of links that were acknowledged. */
  readonly codes: string[] = [];
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

  put(put: Omit<Put, "clock" | "responded">): void {
    const responded = put.outcome === "unknown" ? Number.POSITIVE_INFINITY : Date.now();
    const clock = this.#clock.range(put.invoked, responded);
    this.puts.push({ ...put, responded, clock });
    this.#figures.count("operations", "file");
    this.#figures.count("outcomes", `file ${put.outcome}`);
  }

  read(
    way: string,
    { id, participant }: Pick<Read, "id" | "participant">,
    shown: Read["shown"],
    invoked: number,
  ): void {
    const responded = Date.now();
    this.reads.push({
      id,
      participant,
      shown,
      invoked,
      responded,
      clock: this.#clock.range(invoked, responded),
    });
    this.#figures.count("operations", way);
    this.#figures.count("outcomes", "read");
  }

  history(
    id: string,
    stored: Pick<SessionHistory, "commits" | "stored" | "kept" | "children">,
  ): SessionHistory {
    const { operations, reads, streams, puts, scopes } = this;
    return { id, operations, reads, streams, puts, scopes, ...stored };
  }
}
