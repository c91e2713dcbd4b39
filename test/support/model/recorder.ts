/** Collects one session's history while it happens. */
import type { Driver, StoredState } from "./driver.ts";
import {
  EMPTY_HISTORY,
  type FilePut,
  type History,
  type JobObservation,
  type Operation,
  type PurgeObservation,
  type Stream,
} from "./history.ts";

export class Recorder {
  readonly operations: Operation[] = [];
  readonly streams: Stream[] = [];
  readonly puts: FilePut[] = [];
  /** First tokens of the children of forks, as their makers received them. */
  readonly childTokens: string[] = [];
  /** Codes of links that were acknowledged. */
  readonly codes: string[] = [];
  readonly #driver: Pick<Driver, "now" | "clock">;
  #purge: PurgeObservation | undefined;
  #job: JobObservation | undefined;

  constructor(driver: Pick<Driver, "now" | "clock">) {
    this.#driver = driver;
  }

  operation(operation: Omit<Operation, "clock" | "responded">): void {
    const responded = this.#responded(operation.outcome.kind === "unknown");
    const clock = this.#driver.clock(operation.invoked, responded);
    this.operations.push({ ...operation, responded, clock });
  }

  put(put: Omit<FilePut, "clock" | "responded">): void {
    const responded = this.#responded(put.outcome === "unknown");
    this.puts.push({ ...put, responded, clock: this.#driver.clock(put.invoked, responded) });
  }

  purged(purge: PurgeObservation): void {
    this.#purge = purge;
  }

  job(job: JobObservation): void {
    this.#job = job;
  }

  history(
    id: string,
    rest: StoredState & Partial<Pick<History, "files" | "children" | "announcements">>,
  ): History {
    const { operations, streams, puts } = this;
    return {
      ...EMPTY_HISTORY,
      id,
      operations,
      streams,
      puts,
      ...rest,
      ...(this.#purge === undefined ? {} : { purge: this.#purge }),
      ...(this.#job === undefined ? {} : { job: this.#job }),
    };
  }

  #responded(isOpen: boolean): number {
    return isOpen ? Number.POSITIVE_INFINITY : this.#driver.now();
  }
}
