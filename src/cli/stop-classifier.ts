/**
 * From how a program ended to why: what was seen as data outranks what a log says in words, and a
 * finished program is finished whatever its log mentions. Pure, and bounded however long the log is.
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
  /** The end of the log: text or lines. Only the last part of it is looked at. */
  readonly tail: string | readonly string[];
  /** Null or absent: not known, or ended by a signal. */
  readonly exitCode?: number | null | undefined;
  readonly signals?: StopSignals | undefined;
  /** Needed only to understand times of day, as in a Retry-After with a date. */
  readonly now?: number | undefined;
}

export interface Verdict {
  readonly reason: StopReason;
  /** From 0 to 1. */
  readonly confidence: number;
  /** What it was seen by, in a few words; secrets that a log line holds are taken out. */
  readonly evidence: string;
}

interface StopClassification extends Verdict {
  readonly retryAfterMs?: number;
}

/** Reasons for which waiting helps, so that a hint how long means something. */
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
  const seen = verdictOfSignals(signals) ?? verdictOfExitCode(exitCode);
  const verdict =
    seen === null ? verdictOfText(lines, exitCode) : refineByText(seen, lines, exitCode);
  if (!RETRYABLE_REASONS.has(verdict.reason)) return verdict;
  const hint =
    hintOfSignals(signals, now) ??
    (verdict.reason === "rate_limit" ? hintInText(lines, now) : null);
  return hint === null ? verdict : { ...verdict, retryAfterMs: hint };
}

function verdictOfText(lines: readonly string[], exitCode: number | null): Verdict {
  const hasFailed = exitCode !== null;
  const read = readTail(lines, !hasFailed);
  if (read !== null) return read;
  return hasFailed
    ? { reason: "crash", confidence: 0.5, evidence: `exit code ${exitCode}` }
    : { reason: "unknown", confidence: 0.2, evidence: "nothing in the log says why" };
}

/** An orderly end may be the work's or the user's: the code is the same, only the words differ. */
function refineByText(seen: Verdict, lines: readonly string[], exitCode: number | null): Verdict {
  if (seen.reason !== "completed" || exitCode !== 0) return seen;
  const read = readTail(lines, true);
  return read?.reason === "user_exit" ? { ...read, confidence: 0.7 } : seen;
}
