/**
 * Reads the last lines of a log for the reason of the end. Reads from the end upwards: the last
 * clear phrase counts, and a line that quotes, tests or changes code about an error is not the
 * error. Uses plain searches for fixed phrases, so that no input is slow.
 */
import type { Verdict } from "./stop-classifier";
import {
  CODE_PATTERNS,
  COMPLETION_RECORDS,
  COMPLETION_PHRASES,
  EXIT_PHRASES,
  RECOVERY_PHRASES,
  RULES,
} from "./stop-phrases";
import type { Rule } from "./stop-phrases";

/** Patterns of credentials in a line of text. Each is one run of characters after a fixed start. */
const SECRETS: readonly RegExp[] = [
  /\b[rj]tok_[\w-]+/g,
  /\bBearer\s{1,3}[\w.~+/=-]+/gi,
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp])[-_][\w-]{8,}/g,
  /\bAKIA[A-Z\d]{12,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:api[-_]?key|token|secret|password)["']?\s{0,2}[:=]\s{0,2}["']?[\w.~+/-]{6,}/gi,
];

/** The part of a log that is read. */
const MAX_TAIL_LENGTH = 64 * 1024;
const MAX_TAIL_LINES = 200;
/** A long line is cut to its start and its end. */
const LINE_START = 1_000;
const LINE_END = 1_000;
/** How far above the end an error can be and still be the reason. */
const MAX_DISTANCE_LINES = 40;
/** Within this distance it is very likely the reason. */
const NEAR_LINES = 10;
const MAX_EVIDENCE_LENGTH = 200;

/** The last lines that are not empty, each cut to a length. */
export function lastLines(log: string | readonly string[]): readonly string[] {
  const lines =
    typeof log === "string"
      ? log.slice(-MAX_TAIL_LENGTH).split(/\r\n|[\r\n]/)
      : log
          .slice(-MAX_TAIL_LINES)
          .flatMap((line) => line.slice(0, MAX_TAIL_LENGTH).split(/\r\n|[\r\n]/));
  return lines
    .slice(-MAX_TAIL_LINES * 2)
    .map((line) => stripControlCharacters(shortenLine(line)))
    .filter((line) => line !== "")
    .slice(-MAX_TAIL_LINES);
}

const shortenLine = (line: string): string =>
  line.length <= LINE_START + LINE_END
    ? line
    : `${line.slice(0, LINE_START)} … ${line.slice(-LINE_END)}`;

/** Removes colours and other control characters. */
const stripControlCharacters = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  line.replaceAll(/\u001B\[[\d;]{0,20}[A-Za-z]|[\u0000-\u0008\u000B-\u001F\u007F]/g, "").trim();

/** `mayBeFinished` is false for a program that is known to have failed, whatever it printed. */
export function readTail(lines: readonly string[], mayBeFinished: boolean): Verdict | null {
  let vague: Verdict | null = null;
  const end = lines.length - 1;
  for (let at = end; at >= 0 && at > end - MAX_DISTANCE_LINES; at--) {
    const line = lines[at] ?? "";
    const found = meaningOf(line);
    if (found === "recovered") return vague;
    if (found === null || (found.reason === "completed" && !mayBeFinished)) continue;
    const confidence = end - at < NEAR_LINES ? 0.8 : 0.6;
    const evidence = `log: ${excerpt(line)}`;
    if (found.strength === "clear") return { reason: found.reason, confidence, evidence };
    vague ??= { reason: found.reason, confidence: confidence - 0.2, evidence };
  }
  return vague;
}

function meaningOf(line: string): Pick<Rule, "reason" | "strength"> | "recovered" | null {
  // Padded, so that a phrase can match whole words; JSON is matched with and without spaces.
  const text = ` ${line.toLowerCase().replaceAll('": ', '":')} `;
  const message = withoutPrefix(text.trim());
  if (
    COMPLETION_RECORDS.some((record) => text.includes(record)) ||
    startsWithAny(message, COMPLETION_PHRASES)
  ) {
    return { reason: "completed", strength: "clear" };
  }
  if (startsWithAny(message, EXIT_PHRASES)) return { reason: "user_exit", strength: "clear" };
  if (isAboutCode(message) || isAboutCode(text.trim())) return null;
  if (RECOVERY_PHRASES.some((word) => message.includes(word))) return "recovered";
  return (
    RULES.find(({ phrases }) =>
      phrases.some((parts) => parts.every((part) => text.includes(part))),
    ) ?? null
  );
}

/** Matches whole words; "complete" also matches "completed". */
const startsWithAny = (text: string, prefixes: readonly string[]): boolean =>
  prefixes.some((one) => text.startsWith(one) && /^d?(?![a-z])/.test(text.slice(one.length)));

/** Removes what precedes the text: time, level, name of the logger, bullets. */
function withoutPrefix(text: string): string {
  let rest = text;
  for (let n = 0; n < 6; n++) {
    const next = rest.replace(
      /^(?:\[[^\]]{0,60}\]|\d{4}-\d\d-\d\d[t ]?|\d\d:\d\d:\d\d[\d.,]{0,10}z?|(?:info|notice|debug|warn|warning|error|fatal|agent|assistant|system|result)\b:?|[✅✔☑🎉●•⏺*>»#|:\-\s]{1,10})\s{0,8}/u,
      "",
    );
    if (next === rest) break;
    rest = next;
  }
  return rest;
}

const isAboutCode = (message: string): boolean => {
  const start = message.slice(0, 240);
  return CODE_PATTERNS.some((pattern) => pattern.test(start));
};

/** The excerpt goes into a log that others read. */
function excerpt(line: string): string {
  const redacted = SECRETS.reduce((text, pattern) => text.replaceAll(pattern, "[secret]"), line);
  return redacted.length > MAX_EVIDENCE_LENGTH
    ? `${redacted.slice(0, MAX_EVIDENCE_LENGTH - 1)}…`
    : redacted;
}
