/** Ended by a crash, a network failure or a timeout. */
import type { CorpusCase } from "./case";

export const FAILURE_CASES: readonly CorpusCase[] = [
  {
    name: "a program out of heap",
    exitCode: 134,
    tail: `<--- Last few GCs --->
[4120:0x5f] 81234 ms: Mark-Compact 4093.1 (4139.2) -> 4090.7 MB
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
Aborted (core dumped)`,
    reason: "crash",
  },
  {
    name: "a program that the kernel killed",
    exitCode: 137,
    tail: `[agent] indexing 41220 files
run.sh: line 12:  8841 Killed                  node agent.js`,
    reason: "crash",
  },
  {
    name: "a killed program whose code is not known",
    tail: `[agent] indexing 41220 files
run.sh: line 12:  8841 Killed                  node agent.js`,
    reason: "crash",
  },
  {
    name: "a segmentation fault",
    exitCode: 139,
    tail: `loading model...
Segmentation fault (core dumped)`,
    reason: "crash",
  },
  {
    name: "a module of Python that is not installed",
    exitCode: 1,
    tail: `Traceback (most recent call last):
  File "/app/agent.py", line 3, in <module>
    import anthropic
ModuleNotFoundError: No module named 'anthropic'`,
    reason: "crash",
  },
  {
    name: "an uncaught error of a script",
    exitCode: 1,
    tail: `file:///app/agent.js:88
    const next = plan.steps[index].title;
                                   ^

TypeError: Cannot read properties of undefined (reading 'title')
    at nextStep (file:///app/agent.js:88:36)
    at run (file:///app/agent.js:120:9)

Node.js v24.21.0`,
    reason: "crash",
  },
  {
    name: "a traceback",
    exitCode: 1,
    tail: `Traceback (most recent call last):
  File "/app/agent.py", line 31, in <module>
    main()
  File "/app/agent.py", line 27, in main
    print(state["plan"])
KeyError: 'plan'`,
    reason: "crash",
  },
  {
    name: "a panic",
    exitCode: 2,
    tail: `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
	/app/main.go:17 +0x1d
exit status 2`,
    reason: "crash",
  },
  {
    name: "a panicking thread",
    exitCode: 101,
    tail: `thread 'main' panicked at src/main.rs:42:17:
called \`Option::unwrap()\` on a \`None\` value
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
    reason: "crash",
  },
  {
    name: "an error code and a log that says nothing",
    exitCode: 3,
    tail: `step 7: writing report`,
    reason: "crash",
  },
  {
    name: "a killing signal outranks what the log says in words",
    signals: { signal: "SIGSEGV" },
    tail: `WARN 429 Too Many Requests, retrying in 5s`,
    reason: "crash",
  },
  {
    name: "a container that was killed for its memory",
    signals: { errorType: "OOMKilled" },
    exitCode: 137,
    tail: `worker 3 busy`,
    reason: "crash",
  },
  {
    name: "a crash long after a rate limit that was overcome",
    exitCode: 1,
    tail: `WARN 429 Too Many Requests, retrying in 5s
INFO succeeded after 2 attempts
INFO step 9
Uncaught ReferenceError: summary is not defined
    at report (agent.js:12:3)`,
    reason: "crash",
  },
  {
    name: "a reset connection",
    exitCode: 1,
    tail: `Error: read ECONNRESET
    at TLSWrap.onStreamRead (node:internal/stream_base_commons:218:20) {
  errno: -104,
  code: 'ECONNRESET',
  syscall: 'read'
}`,
    reason: "network",
  },
  {
    name: "a fetch that failed",
    exitCode: 1,
    tail: `TypeError: fetch failed
    at node:internal/deps/undici/undici:13510:13
  [cause]: Error: getaddrinfo EAI_AGAIN api.provider.example
      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26)`,
    reason: "network",
  },
  {
    name: "a refused connection",
    exitCode: 1,
    tail: `requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.provider.example', port=443): Max retries exceeded with url: /v1/messages (Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused'))`,
    reason: "network",
  },
  {
    name: "a stream that broke off",
    exitCode: 1,
    tail: `{"type":"item.started","item":{"id":"7"}}
ERROR: stream disconnected before completion: error sending request`,
    reason: "network",
  },
  {
    name: "a bad gateway by its status",
    signals: { httpStatus: 502 },
    tail: `<html><head><title>502</title></head></html>`,
    reason: "network",
  },
  {
    name: "a remote shell whose line was cut",
    exitCode: 255,
    tail: `step 3 of 9: uploading
client_loop: send disconnect: Broken pipe`,
    reason: "network",
  },
  {
    name: "an error code of the system",
    signals: { errorType: "ENOTFOUND" },
    exitCode: 1,
    tail: ``,
    reason: "network",
  },
  {
    name: "a request that took too long",
    exitCode: 1,
    tail: `APITimeoutError: Request timed out.`,
    reason: "timeout",
  },
  {
    name: "a runner's time limit",
    exitCode: 124,
    tail: `[agent] still working on step 5`,
    reason: "timeout",
  },
  {
    name: "a deadline of a remote call",
    exitCode: 1,
    tail: `rpc error: code = DeadlineExceeded desc = context deadline exceeded`,
    reason: "timeout",
  },
  {
    name: "a cluster's wall clock",
    tail: `slurmstepd: error: *** JOB 81123 ON n14 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***`,
    reason: "timeout",
  },
  {
    name: "a gateway that waited in vain",
    signals: { httpStatus: 504 },
    tail: `upstream request failed`,
    reason: "timeout",
  },
  {
    name: "a browser step that never came to its end",
    exitCode: 1,
    tail: `page.waitForSelector: Timeout 30000ms exceeded.
Call log:
  - waiting for locator('#submit')`,
    reason: "timeout",
  },
];
