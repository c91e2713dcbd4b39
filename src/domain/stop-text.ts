/**
 * What the last lines of a log say about the end. Read from the end upwards: the last clear word
 * counts, and a line that quotes, tests or changes code about an error is not the error. Plain
 * searches for fixed phrases, so that no input is slow.
 */
import { SECRETS } from "./secret-patterns";
import type { StopReason } from "./policy";
import type { Verdict } from "./stop-classifier";

/** The part of a log that is looked at. */
const TAIL_LENGTH = 64 * 1024;
const TAIL_LINES = 200;
const LINE_LENGTH = 1_000;
/** How far above the end an error can be and still be what ended it. */
const REACH_LINES = 40;
/** So near it is very likely what ended it. */
const NEAR_LINES = 10;
const EVIDENCE_LENGTH = 200;

/** The last lines that say anything, each cut to a length. */
export function tailOf(log: string | readonly string[]): readonly string[] {
  const lines =
    typeof log === "string"
      ? log.slice(-TAIL_LENGTH).split(/\r\n|[\r\n]/)
      : log.slice(-TAIL_LINES).flatMap((line) => line.slice(0, TAIL_LENGTH).split(/\r\n|[\r\n]/));
  return lines
    .slice(-TAIL_LINES * 2)
    .map((line) => plain(line.slice(0, LINE_LENGTH)))
    .filter((line) => line !== "")
    .slice(-TAIL_LINES);
}

/** Without colours and other control characters. */
const plain = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  line.replaceAll(/\u001B\[[\d;]{0,20}[A-Za-z]|[\u0000-\u0008\u000B-\u001F\u007F]/g, "").trim();

type Strength = "clear" | "vague";

interface Rule {
  readonly reason: StopReason;
  readonly strength: Strength;
  /** Any of these; within one, all parts joined by `&`. */
  readonly phrases: readonly (readonly string[])[];
}

const rule = (reason: StopReason, strength: Strength, ...phrases: readonly string[]): Rule => ({
  reason,
  strength,
  phrases: phrases.map((phrase) => phrase.split("&")),
});

/** In order: within one line the first that matches decides. */
const RULES: readonly Rule[] = [
  rule(
    "context_exhausted",
    "clear",
    "context_length_exceeded",
    "context_window_exceeded",
    "prompt is too long",
    "prompt_too_long",
    "prompt too long",
    "input is too long",
    "maximum context length",
    "exceeds the context window",
    "exceed context limit",
    "exceeded the context",
    "context window is full",
    "context window exceeded",
    "context window limit",
    "context length exceeded",
    "context limit reached",
    "context is full",
    "context exhausted",
    "ran out of context",
    "out of context space",
    "exceeds the maximum number of tokens",
    "token count&exceeds the maximum",
    "too many tokens in the prompt",
    "context low&0%",
    '"finish_reason":"length"',
    '"stop_reason":"max_tokens"',
    '"stop_reason":"model_context_window_exceeded"',
    "conversation is too long",
  ),
  rule(
    "rate_limit",
    "clear",
    "rate_limit_error",
    "rate_limit_exceeded",
    "ratelimiterror",
    "rate limit reached",
    "rate limit exceeded",
    "rate limit hit",
    "rate limited",
    "rate-limited",
    "hit your rate limit",
    "usage limit reached",
    "usage limit exceeded",
    "hit your usage limit",
    "hit your limit",
    "exceeded your current quota",
    "quota exceeded",
    "insufficient_quota",
    "resource_exhausted",
    "too many requests",
    "throttlingexception",
    "throttled&retry",
    "overloaded_error",
    "overloaded&529",
    "model is overloaded",
    "tokens per min&limit",
    "requests per min&limit",
    "429&error",
    "429&status",
    "429&http",
  ),
  rule(
    "user_exit",
    "clear",
    "keyboardinterrupt",
    "interrupted by user",
    "interrupted by the user",
    "cancelled by user",
    "canceled by user",
    "cancelled by the user",
    "aborted by user",
    "aborted by the user",
    "stopped by user",
    "user requested exit",
    "user exited",
    "user pressed",
    "session ended by user",
    "received sigint",
    "caught sigint",
    "ctrl+c",
    "ctrl-c",
    "[request interrupted",
  ),
  rule(
    "timeout",
    "clear",
    "timed out",
    "etimedout",
    "esockettimedout",
    "timeouterror",
    "timeout exceeded",
    "timeout of&exceeded",
    "exceeded&timeout",
    "exceeded timeout",
    "deadline exceeded",
    "deadline_exceeded",
    "context deadline exceeded",
    "gateway timeout",
    "gateway time-out",
    "request timeout",
    "read timeout",
    "connect timeout",
    "connection timeout",
    "headers timeout",
    "und_err_connect_timeout",
    "due to time limit",
    "maximum execution time",
    "wall clock limit",
  ),
  rule(
    "network",
    "clear",
    "econnreset",
    "econnrefused",
    "econnaborted",
    "enotfound",
    "eai_again",
    "enetunreach",
    "ehostunreach",
    "epipe",
    "socket hang up",
    "connection reset",
    "connection refused",
    "connection aborted",
    "connection closed unexpectedly",
    "connection lost",
    "connection error",
    "connectionerror",
    "remote end closed connection",
    "network is unreachable",
    "network error",
    "network connection was lost",
    "fetch failed",
    "failed to fetch",
    "could not resolve host",
    "name resolution",
    "getaddrinfo",
    "no route to host",
    "broken pipe",
    "bad gateway",
    "service unavailable",
    "stream disconnected",
    "unexpected eof",
    "tls handshake",
    "ssl_error",
    "internal server error",
  ),
  rule(
    "crash",
    "clear",
    "segmentation fault",
    "core dumped",
    "out of memory",
    "outofmemoryerror",
    "oomkilled",
    "oom-kill",
    "memoryerror",
    "panic:",
    "panicked at",
    "stack overflow",
    "stack smashing",
    "bus error",
    "illegal instruction",
    "unhandledpromiserejection",
    "unhandled promise rejection",
    "unhandled exception",
    "uncaught exception",
    "uncaughtexception",
    "assertion failed",
    "fatal python error",
    "sigsegv",
    "sigabrt",
    "sigkill",
  ),
  rule(
    "crash",
    "vague",
    "traceback (most recent call last)",
    "uncaught ",
    "fatal error",
    "fatal:",
    "typeerror:",
    "referenceerror:",
    "rangeerror:",
    "syntaxerror:",
    "attributeerror:",
    "keyerror:",
    "valueerror:",
    "runtimeerror:",
    "modulenotfounderror:",
    "nullpointerexception",
    "exception in thread",
    "node.js v&",
    "exited with code 1",
    "exit status 1",
    "exited with code 2",
    "killed",
  ),
];

/** A line that begins so says that the work is over. */
const ENDINGS = [
  "done",
  "all done",
  "task complete",
  "task finished",
  "task succeeded",
  "session complete",
  "session finished",
  "session ended successfully",
  "work complete",
  "run complete",
  "job complete",
  "job finished",
  "job succeeded",
  "finished successfully",
  "completed successfully",
  "successfully completed",
  "all tasks complete",
  "all steps complete",
  "all tests pass",
  "workflow complete",
  "goal reached",
  "finished in ",
  "completed in ",
] as const;

/** Or that holds these: how agents end their record. */
const ENDING_RECORDS = [
  '"subtype":"success"',
  '"stop_reason":"end_turn"',
  '"finish_reason":"stop"',
  '"type":"task_complete"',
  '"status":"completed"',
  '"event":"session_end"',
  "exited with code 0",
  "exit code 0",
  "exit status 0",
] as const;

/** Goodbyes of a program whose user left. */
const FAREWELLS = ["goodbye", "bye!", "bye.", "> /exit", "> /quit", "/exit", "/quit"] as const;

/** What went wrong before it is over. */
const RECOVERIES = [
  "retry succeeded",
  "succeeded after",
  "succeeded on attempt",
  "succeeded on retry",
  "request succeeded",
  "reconnected",
  "connection restored",
  "connection re-established",
  "recovered",
  "resuming work",
] as const;

export function readTail(lines: readonly string[]): Verdict | null {
  let vague: Verdict | null = null;
  const end = lines.length - 1;
  for (let at = end; at >= 0 && at > end - REACH_LINES; at--) {
    const line = lines[at] ?? "";
    const found = meaningOf(line);
    if (found === null) continue;
    if (found === "recovered") return vague;
    const confidence = end - at < NEAR_LINES ? 0.8 : 0.6;
    const evidence = `log: ${excerpt(line)}`;
    if (found.strength === "clear") return { reason: found.reason, confidence, evidence };
    vague ??= { reason: found.reason, confidence: confidence - 0.2, evidence };
  }
  return vague;
}

function meaningOf(line: string): Pick<Rule, "reason" | "strength"> | "recovered" | null {
  const text = line.toLowerCase().replaceAll(/": "?/g, (colon) => colon.replace(" ", ""));
  const said = withoutPrefix(text);
  if (ENDING_RECORDS.some((record) => text.includes(record)) || startsWithAny(said, ENDINGS)) {
    return { reason: "completed", strength: "clear" };
  }
  if (startsWithAny(said, FAREWELLS)) return { reason: "user_exit", strength: "clear" };
  if (isAboutCode(said)) return null;
  if (RECOVERIES.some((word) => said.includes(word))) return "recovered";
  return (
    RULES.find(({ phrases }) => phrases.some((parts) => parts.every((one) => text.includes(one)))) ??
    null
  );
}

const startsWithAny = (text: string, beginnings: readonly string[]): boolean =>
  beginnings.some((one) => text.startsWith(one) && !/^\w/.test(text.slice(one.length)) || text.startsWith(`${one}d`) && one.endsWith("complete"));

/** What stands before the words: time, level, name of the logger, bullets. */
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

/** Source, a diff, a search result, the name of a test, a sentence about what was done. */
const ABOUT_CODE = [
  /^[+-] ?(?:if|const|let|var|return|throw|case|expect|it\(|def|class|import|\/\/|#|\*|"|'|\s)/,
  /^(?:✓|✔|√|×|pass\b|ok \d|it\(|test\(|describe\(|\/\/|\/\*|\* )/,
  /^[\w./-]{1,200}\.(?:ts|js|tsx|jsx|py|go|rs|java|md|rb|c|cpp|h|json|yaml|yml|toml|sh):\d/,
  /^(?:added?|adding|fix(?:ed|es)?|fixing|implement(?:ed|s)?|handled?|handling|updated?|wrote|test(?:ed|s)?|document(?:ed|s)?|refactor(?:ed)?|feat|docs|chore|i (?:have |'ve )?(?:added|fixed|implemented|updated|wrote))\b/,
  /^(?:if|else if|case|const|let|var|return|throw|raise|except|def|function|import|from|class)\b.*[({;:=]/,
] as const;

const isAboutCode = (said: string): boolean => {
  const start = said.slice(0, 240);
  return ABOUT_CODE.some((pattern) => pattern.test(start));
};

/** What is shown of a line goes into a log that others read. */
function excerpt(line: string): string {
  const shown = SECRETS.reduce((text, pattern) => text.replaceAll(pattern, "[secret]"), line);
  return shown.length > EVIDENCE_LENGTH ? `${shown.slice(0, EVIDENCE_LENGTH - 1)}…` : shown;
}
