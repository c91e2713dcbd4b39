import type { StopObservation } from "../../../src/cli/stop-classifier";
import type { StopReason } from "../../../src/domain/stops/policy";

/** The end of a program's log, and the stop reason that it means. */
export interface CorpusCase extends Omit<StopObservation, "tail"> {
  readonly name: string;
  readonly tail: string;
  readonly reason: StopReason;
  /** The wait that the tail or the signals request. Absent: they request none. */
  readonly retryAfterMs?: number;
}
