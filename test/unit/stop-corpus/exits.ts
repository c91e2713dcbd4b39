/** Ended by the user, by finishing, or for an unknown reason. */
import type { CorpusCase } from "./case";

export const EXIT_CASES: readonly CorpusCase[] = [
  {
    name: "an interrupt in Python",
    exitCode: 1,
    tail: `^CTraceback (most recent call last):
  File "/app/agent.py", line 31, in <module>
    time.sleep(5)
KeyboardInterrupt`,
    reason: "user_exit",
  },
  {
    name: "an interrupt by its code, while it waited for a limit",
    exitCode: 130,
    tail: `WARN 429 Too Many Requests, retrying in 60s
^C`,
    reason: "user_exit",
  },
  {
    name: "an interrupt by its signal, whatever the provider said last",
    signals: { signal: "SIGINT", httpStatus: 429 },
    tail: `rate limit exceeded`,
    reason: "user_exit",
  },
  {
    name: "a request to end",
    exitCode: 143,
    tail: `[agent] step 4
[agent] shutting down`,
    reason: "user_exit",
  },
  {
    name: "a user who left the prompt",
    exitCode: 0,
    tail: `> /exit
Goodbye!`,
    reason: "user_exit",
  },
  {
    name: "an interrupted request",
    tail: `● I'll start by reading the files
[Request interrupted by user]`,
    reason: "user_exit",
  },
  {
    name: "a refused continuation",
    signals: { errorType: "AbortError" },
    exitCode: 1,
    tail: `AbortError: This operation was aborted`,
    reason: "user_exit",
  },
  {
    name: "a clean end",
    exitCode: 0,
    tail: `Wrote report.md (4,120 words)`,
    reason: "completed",
  },
  {
    name: "a clean end whose log mentions 429",
    exitCode: 0,
    tail: `WARN request failed with status 429, retrying in 2s (attempt 1/3)
INFO wrote 12 files
The client now handles 429 Too Many Requests with backoff.`,
    reason: "completed",
  },
  {
    name: "a result record that speaks of 429",
    tail: `{"type":"assistant","message":{"content":"Implemented retry on 429 rate_limit_error."}}
{"type":"result","subtype":"success","is_error":false,"num_turns":14,"result":"Added handling for HTTP 429 and rate limit exceeded errors."}`,
    reason: "completed",
  },
  {
    name: "a last line that says done, about rate limits",
    tail: `✓ retries on 429 Too Many Requests (12 ms)
✓ gives up after five attempts (3 ms)
Done: rate limit exceeded errors are retried now.`,
    reason: "completed",
  },
  {
    name: "a turn that ended by itself after a refusal that was overcome",
    signals: { finishReason: "end_turn" },
    tail: `WARN 429 Too Many Requests
INFO retry succeeded`,
    reason: "completed",
  },
  {
    name: "a marked end with a time before it",
    tail: `2026-03-01T10:00:00Z INFO step 9 of 9
[2026-03-01 10:00:04] INFO: Task completed in 4m12s`,
    reason: "completed",
  },
  {
    name: "a pipeline's last word",
    tail: `Process exited with code 0`,
    reason: "completed",
  },
  {
    name: "a log that stops in the middle of nothing",
    tail: `reading src/index.ts
reading src/app.ts`,
    reason: "unknown",
  },
  {
    name: "no log at all",
    tail: ``,
    reason: "unknown",
  },
  {
    name: "code and tests about limits, and nothing else",
    tail: `src/retry.ts:14:  if (status === 429) throw new RateLimitError("rate limit exceeded");
+  if (error.code === "ECONNRESET") return retry();
-  // timed out
✓ returns 429 Too Many Requests when the bucket is empty
fix: handle connection reset in the client`,
    reason: "unknown",
  },
  {
    name: "a limit far above, and long work after it",
    tail: `ERROR 429 Too Many Requests
${Array.from({ length: 60 }, (_, index) => `INFO wrote file ${index}`).join("\n")}`,
    reason: "unknown",
  },
  {
    name: "a status that says nothing about waiting",
    signals: { httpStatus: 401 },
    tail: `authentication required`,
    reason: "unknown",
  },
];
