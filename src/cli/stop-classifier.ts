/**
 * Classifies why a program ended. Structured data outranks the text of a log, and a finished
 * program is finished whatever its log mentions. Pure, and bounded for any length of log.
 */
import type { StopReason } from "../domain/stops/policy";
import { hintInText, hintOfSignals } from "./stop-hint";
import {
  normalizeSignals,
  verdictOfExitCode,
  verdictOfSignals,
  type StopSignals,
} from "./stop-signals";
import { readTail, lastLines } from "./stop-text";

export interface StopObservation {
  /** The end of the log, as text or lines. Only its last part is read. */
  readonly tail: string | readonly string[];
  /** Null or absent: not known, or ended by a signal. */
  readonly exitCode?: number | null | undefined;
  readonly signals?: StopSignals | undefined;
  /** Needed only for absolute times, as in a Retry-After with a date. */
  readonly now?: number | undefined;
}

export interface Verdict {
  readonly reason: StopReason;
  /** From 0 to 1. */
  readonly confidence: number;
  /** A short reason; secrets in log lines are removed. */
  readonly evidence: string;
}

interface StopClassification extends Verdict {
  readonly retryAfterMs?: number;
}

/** Reasons for which waiting helps, so that a hint about the time is useful. */
const RETRYABLE_REASONS: ReadonlySet<StopReason> = new Set([
  "rate_limit",
  "network",
  "timeout",
  "crash",
]);

export function classifyStop(observation: StopObservation): StopClassification {
  const { exitCode = null, now = null } = observation;
  const signals = normalizeSignals(observation.signals ?? {});
  const lines = lastLines(observation.tail);
  const fromData = verdictOfSignals(signals) ?? verdictOfExitCode(exitCode);
  const verdict =
    fromData === null ? verdictOfText(lines, exitCode) : refineByText(fromData, lines, exitCode);
  if (!RETRYABLE_REASONS.has(verdict.reason)) return verdict;
  const hint =
    hintOfSignals(signals, now) ??
    (verdict.reason === "rate_limit" ? hintInText(lines, now) : null);
  return hint === null ? verdict : { ...verdict, retryAfterMs: hint };
}

function verdictOfText(lines: readonly string[], exitCode: number | null): Verdict {
  const hasFailed = exitCode !== null;
  const fromText = readTail(lines, !hasFailed);
  if (fromText !== null) return fromText;
  return hasFailed
    ? { reason: "crash", confidence: 0.5, evidence: `exit code ${exitCode}` }
    : { reason: "unknown", confidence: 0.2, evidence: "nothing in the log says why" };
}

/**
 * An exit code of 0 may mean that the work was completed or that the user left; only the text
 * differs.
 */
function refineByText(
  verdict: Verdict,
  lines: readonly string[],
  exitCode: number | null,
): Verdict {
  if (verdict.reason !== "completed" || exitCode !== 0) return verdict;
  const fromText = readTail(lines, true);
  return fromText?.reason === "user_exit" ? { ...fromText, confidence: 0.7 } : verdict;
}
