/** Ended by a limit: of requests, or of a model's context. */
import type { CorpusCase } from "./case";

export const LIMIT_CASES: readonly CorpusCase[] = [
  {
    name: "a Python client's rate limit error at the end of its traceback",
    exitCode: 1,
    tail: `2026-03-01 10:12:01 INFO step 4: summarising chapter 7
Traceback (most recent call last):
  File "agent.py", line 88, in run
    reply = client.messages.create(model=MODEL, messages=history)
  File "client/_base.py", line 1043, in _request
    raise self._make_status_error_from_response(err.response) from None
RateLimitError: Error code: 429 - {'type': 'error', 'error': {'type': 'rate_limit_error', 'message': 'This request would exceed your organization's rate limit of 40,000 input tokens per minute.'}}`,
    reason: "rate_limit",
  },
  {
    name: "a stream that ends with an error record",
    tail: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Now I will"}}
{"type":"error","error":{"type":"rate_limit_error","message":"Number of requests has exceeded your per-minute rate limit"},"retry_after":17}`,
    reason: "rate_limit",
    retryAfterMs: 17_000,
  },
  {
    name: "a hint in compound words",
    exitCode: 1,
    tail: `[agent] calling model
Error: Rate limit reached for large-model in organization org-12 on tokens per min (TPM): Limit 30000, Used 29875, Requested 2210. Please try again in 1m30.5s. Visit the account page to learn more.
    at Client.makeStatusError (client.js:412:15)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
Node.js v24.1.0`,
    reason: "rate_limit",
    retryAfterMs: 90_500,
  },
  {
    name: "a curl transcript with its headers",
    exitCode: 22,
    tail: `< HTTP/2 429
< content-type: application/json
< retry-after: 20
< x-request-id: 4f1c
curl: (22) The requested URL returned error: 429`,
    reason: "rate_limit",
    retryAfterMs: 20_000,
  },
  {
    name: "a quota of a cloud API with a delay in JSON",
    exitCode: 1,
    tail: `google.api_core.exceptions.ResourceExhausted: 429 Resource has been exhausted (e.g. check quota).
{
  "error": {
    "code": 429,
    "status": "RESOURCE_EXHAUSTED",
    "details": [{ "retryDelay": "34s" }]
  }
}`,
    reason: "rate_limit",
    retryAfterMs: 34_000,
  },
  {
    name: "a subscription limit that names its reset",
    now: Date.UTC(2026, 2, 1, 12, 0, 0),
    tail: `● Bash(npm test)
  ⎿ 812 passing
Usage limit reached. Your limit resets at 2026-03-01T15:00:00Z.`,
    reason: "rate_limit",
    retryAfterMs: 3 * 3_600_000,
  },
  {
    name: "retries that were all used up",
    exitCode: 1,
    tail: `WARN  request failed with status 429, retrying in 2s (attempt 1/3)
WARN  request failed with status 429, retrying in 4s (attempt 2/3)
WARN  request failed with status 429, retrying in 8s (attempt 3/3)
ERROR giving up after 3 attempts
npm ERR! Lifecycle script \`agent\` failed with error:
npm ERR! code 1`,
    reason: "rate_limit",
  },
  {
    name: "an overloaded provider",
    exitCode: 1,
    tail: `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
    reason: "rate_limit",
  },
  {
    name: "throttling by a cloud's model service",
    exitCode: 255,
    tail: `botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the InvokeModel operation (reached max retries: 4): Too many tokens, please wait before trying again.`,
    reason: "rate_limit",
  },
  {
    name: "the status alone, with a silent log and a header",
    signals: { httpStatus: 429, retryAfter: "120" },
    tail: `> thinking...`,
    reason: "rate_limit",
    retryAfterMs: 120_000,
  },
  {
    name: "a header with a date",
    now: Date.UTC(2026, 2, 1, 12, 0, 0),
    signals: { httpStatus: 429, retryAfter: "Sun, 01 Mar 2026 12:05:00 GMT" },
    tail: ``,
    reason: "rate_limit",
    retryAfterMs: 300_000,
  },
  {
    name: "an unavailable service that says when to come back",
    signals: { httpStatus: 503, retryAfterMs: 1_500 },
    tail: `upstream said: try later`,
    reason: "rate_limit",
    retryAfterMs: 1_500,
  },
  {
    name: "a prompt that grew too long",
    exitCode: 1,
    tail: `[agent] step 41/60
API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`,
    reason: "context_exhausted",
  },
  {
    name: "a context length error by its code",
    exitCode: 1,
    tail: `openai.BadRequestError: Error code: 400 - {'error': {'message': "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.", 'type': 'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}}`,
    reason: "context_exhausted",
  },
  {
    name: "an assistant that shows how little context is left",
    tail: `● Update(src/parser.ts)
  ⎿ Updated src/parser.ts with 14 additions
Context low (0% remaining) · Run /compact to compact & continue`,
    reason: "context_exhausted",
  },
  {
    name: "a stream that stopped at its length",
    tail: `data: {"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}
data: [DONE]`,
    reason: "context_exhausted",
  },
  {
    name: "a local model that ran out of room",
    exitCode: 1,
    tail: `llama_decode: failed to find a memory slot
main: error: ran out of context (n_ctx = 8192, n_past = 8192)`,
    reason: "context_exhausted",
  },
  {
    name: "a provider's token count",
    exitCode: 1,
    tail: `400 Bad Request: The input token count (1048999) exceeds the maximum number of tokens allowed (1048576).`,
    reason: "context_exhausted",
  },
  {
    name: "the finish reason alone",
    signals: { finishReason: "max_tokens" },
    tail: `The third chapter begins with`,
    reason: "context_exhausted",
  },
  {
    name: "a body larger than the provider takes",
    signals: { httpStatus: 413 },
    tail: `request failed`,
    reason: "context_exhausted",
  },
  {
    name: "a context error after an earlier rate limit that was waited out",
    exitCode: 1,
    tail: `WARN 429 Too Many Requests, retrying in 5s
INFO retry succeeded
INFO step 12
ERROR context window exceeded, cannot continue this conversation`,
    reason: "context_exhausted",
  },
];
