import type { StopObservation } from "../../../src/cli/stop-classifier";
import type { StopReason } from "../../../src/domain/stops/policy";

/** A tail as such programs leave it, and what it means. */
export interface CorpusCase extends Omit<StopObservation, "tail"> {
  readonly name: string;
  readonly tail: string;
  readonly reason: StopReason;
  /** What the tail or the signals say about waiting; absent: they say nothing. */
  readonly retryAfterMs?: number;
}
