/** How long to wait, as the provider stated it in a header or in text. Rounded up, never down. */
import { LIMITS } from "../domain/limits";
import { retryAfterMsOf } from "../domain/stops/stop";
import type { StopSignals } from "./stop-signals";

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

/** Phrases before a wait, with the unit for a number without one. */
const MARKERS = [
  ["retry_after_ms", "ms"],
  ["retry-after-ms", "ms"],
  ["retryafterms", "ms"],
  ["retry-after", "s"],
  ["retry_after", "s"],
  ["retryafter", "s"],
  ["retry after", "s"],
  ["retrydelay", "s"],
  ["try again in", "s"],
  ["try again after", "s"],
  ["retry in", "s"],
  ["resets in", "s"],
  ["reset in", "s"],
  ["reset after", "s"],
  ["available in", "s"],
  ["wait for", "s"],
  ["please wait", "s"],
] as const;

const TIME_MARKERS = ["resets at", "reset at", "resets_at", "retry at", "try again at"] as const;

/** The length after a marker that can still belong to it. */
const MAX_HINT_LENGTH = 60;
const FILLER = /^["'\s:=~([]{0,8}(?:about |approximately |around )?/;
const AMOUNT =
  /^(\d{1,9}(?:\.\d{1,6})?) ?(milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|s|m|h|d)?(?![a-z])[\s,]{0,2}(?:and )?/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:z|[+-]\d\d:\d\d)/;

export function hintOfSignals(signals: StopSignals, now: number | null): number | null {
  const { retryAfterMs, retryAfter } = signals;
  if (retryAfterMs !== undefined && retryAfterMs >= 0) return limitWait(retryAfterMs);
  if (retryAfter === undefined) return null;
  // Without the current time a date is meaningless, but seconds are not.
  const isSeconds = /^\d+$/.test(retryAfter.slice(0, MAX_HINT_LENGTH));
  if (now === null && !isSeconds) return null;
  const hint = retryAfterMsOf(retryAfter.slice(0, MAX_HINT_LENGTH), now ?? 0);
  return hint === null ? null : limitWait(hint);
}

/** The last hint is the newest one. */
export function hintInText(lines: readonly string[], now: number | null): number | null {
  return lines.reduce<number | null>((found, line) => hintInLine(line, now) ?? found, null);
}

function hintInLine(line: string, now: number | null): number | null {
  const text = line.toLowerCase();
  for (const [marker, unit] of MARKERS) {
    const at = text.indexOf(marker);
    if (at < 0) continue;
    const wait = waitIn(text.slice(at + marker.length, at + marker.length + MAX_HINT_LENGTH), unit);
    if (wait !== null) return limitWait(wait);
  }
  for (const marker of TIME_MARKERS) {
    const at = text.indexOf(marker);
    if (at < 0 || now === null) continue;
    const time = timeIn(text.slice(at + marker.length, at + marker.length + MAX_HINT_LENGTH));
    if (time !== null) return limitWait(Math.max(0, time - now));
  }
  return null;
}

/** `30`, `1m30s`, `1.5 seconds`, `2 hours and 5 minutes`. */
function waitIn(text: string, unit: string): number | null {
  let rest = text.replace(FILLER, "");
  let wait: number | null = null;
  for (;;) {
    const [match = "", amount, unitText] = AMOUNT.exec(rest) ?? [];
    // A second number without a unit does not belong to the wait.
    if (amount === undefined || (wait !== null && unitText === undefined)) return wait;
    const name =
      unitText === undefined || unitText in UNITS ? (unitText ?? unit) : unitText.slice(0, -1);
    wait = (wait ?? 0) + Number(amount) * (UNITS[name] ?? 0);
    if (unitText === undefined) return wait;
    rest = rest.slice(match.length);
  }
}

function timeIn(text: string): number | null {
  const [time] = ISO_TIME.exec(text.replace(FILLER, "")) ?? [];
  const parsed = time === undefined ? Number.NaN : Date.parse(time.toUpperCase());
  return Number.isNaN(parsed) ? null : parsed;
}

const limitWait = (wait: number): number => Math.min(Math.ceil(wait), LIMITS.retryAfterMs);
