/** Collects one session's history while it happens. */
import type { Driver } from "./driver.ts";
import {
  EMPTY_HISTORY,
  type FilePut,
  type History,
  type Operation,
  type Stream,
} from "./history.ts";

/** What operations without a token, a key and arguments have in common. */
export const UNAUTHENTICATED = { token: 0, key: null, ifMatch: null, args: {} };

export class Recorder {
  readonly operations: Operation[] = [];
  readonly streams: Stream[] = [];
  readonly puts: FilePut[] = [];
  /** First tokens of the children of forks, as their makers received them. */
  readonly childTokens: string[] = [];
  /** Codes of links that were acknowledged. */
  readonly codes: string[] = [];
  readonly #driver: Pick<Driver, "now" | "clock">;

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

  history(id: string, rest: Partial<History>): History {
    const { operations, streams, puts } = this;
    return { ...EMPTY_HISTORY, id, operations, streams, puts, ...rest };
  }

  #responded(isOpen: boolean): number {
    return isOpen ? Number.POSITIVE_INFINITY : this.#driver.now();
  }
}
