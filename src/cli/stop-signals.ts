/** Structured data about a stop: how the process ended, and the provider's last response. */
import type { StopReason } from "../domain/stops/policy";
import type { Verdict } from "./stop-classifier";

export interface StopSignals {
  /** HTTP status of the provider's last response. */
  readonly httpStatus?: number | undefined;
  /** Its Retry-After header: seconds or an HTTP date. */
  readonly retryAfter?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Type or code of its error, such as `rate_limit_error` or `ECONNRESET`. */
  readonly errorType?: string | undefined;
  /** Why the model stopped, such as `end_turn` or `length`. */
  readonly finishReason?: string | undefined;
  /** Name of the signal that ended the process. */
  readonly signal?: string | undefined;
}

type Meanings = ReadonlyMap<string, { readonly reason: StopReason; readonly confidence: number }>;

const meanings = (
  ...rows: readonly (readonly [StopReason, confidence: number, names: string])[]
): Meanings =>
  new Map(
    rows.flatMap(([reason, confidence, names]) =>
      names.split(" ").map((name) => [name, { reason, confidence }] as const),
    ),
  );

/** Longer texts are not names; cut, so that no search reads a megabyte. */
const MAX_NAME_LENGTH = 100;

const SIGNALS = meanings(
  ["user_exit", 0.95, "sigint sigquit"],
  ["crash", 0.95, "sigsegv sigabrt sigbus sigill sigfpe sigtrap sigsys sigiot"],
  // Usually the kernel, if it is out of memory.
  ["crash", 0.8, "sigkill"],
  ["timeout", 0.9, "sigxcpu sigalrm"],
  ["network", 0.6, "sigpipe"],
);

/** A request to end the process. Weaker than the provider's error, stronger than text. */
const TERMINATION_SIGNALS = meanings(["user_exit", 0.6, "sigterm sighup"]);

const ERROR_TYPES = meanings(
  [
    "rate_limit",
    0.97,
    "rate_limit_error rate_limit_exceeded rate_limited ratelimiterror rate_limit too_many_requests toomanyrequests throttlingexception throttling throttled requestlimitexceeded resource_exhausted quota_exceeded insufficient_quota usage_limit_reached",
  ],
  ["rate_limit", 0.9, "overloaded_error overloaded server_overloaded model_overloaded"],
  [
    "context_exhausted",
    0.97,
    "context_length_exceeded context_window_exceeded context_exhausted model_context_window_exceeded prompt_too_long string_above_max_length contextwindowexceedederror",
  ],
  ["context_exhausted", 0.85, "request_too_large"],
  [
    "timeout",
    0.95,
    "timeout timeout_error timeouterror request_timeout etimedout esockettimedout deadline_exceeded gateway_timeout und_err_connect_timeout und_err_headers_timeout und_err_body_timeout apitimeouterror apiconnectiontimeouterror",
  ],
  [
    "network",
    0.95,
    "network_error connection_error api_connection_error apiconnectionerror econnreset econnrefused econnaborted enotfound eai_again enetunreach enetdown ehostunreach ehostdown epipe und_err_socket err_network unavailable bad_gateway",
  ],
  [
    "network",
    0.7,
    "api_error server_error internal_server_error internal_error internalservererror",
  ],
  ["crash", 0.9, "err_worker_out_of_memory out_of_memory oom oomkilled segmentation_fault panic"],
  [
    "user_exit",
    0.9,
    "aborterror abort_err abort_error user_cancelled user_canceled user_abort cancelled canceled interrupted keyboardinterrupt",
  ],
);

const FINISH_REASONS = meanings(
  ["completed", 0.9, "stop end_turn stop_sequence completed complete finished eos"],
  ["context_exhausted", 0.97, "model_context_window_exceeded context_length_exceeded"],
  ["context_exhausted", 0.8, "length max_tokens max_output_tokens model_length"],
  ["user_exit", 0.9, "cancelled canceled aborted interrupted user_cancelled"],
);

const EXIT_CODES = meanings(
  ["completed", 0.9, "0"],
  // timeout(1)
  ["timeout", 0.9, "124"],
  // 128 + the signal's number, as shells report it.
  ["user_exit", 0.95, "130"],
  ["user_exit", 0.9, "131"],
  ["user_exit", 0.6, "129 143"],
  ["crash", 0.95, "134 139"],
  ["crash", 0.9, "132 135 136"],
  ["crash", 0.8, "137"],
  // Windows: Ctrl-C, access violation, stack overflow.
  ["user_exit", 0.95, `${0xc000013a}`],
  ["crash", 0.95, `${0xc0000005} ${0xc00000fd}`],
);

/** The text of a 400 explains its error; for other errors of a server only the status is known. */
const HTTP_STATUSES = meanings(
  ["rate_limit", 0.97, "429"],
  ["rate_limit", 0.9, "529"],
  ["network", 0.8, "503"],
  ["context_exhausted", 0.8, "413"],
  ["timeout", 0.9, "408 504 524"],
);
const RETRY_AFTER_STATUSES = meanings(["rate_limit", 0.85, "503"]);

/** Names are compared without case and separators. */
const normalizeName = (name: string | undefined): string | undefined =>
  name?.slice(0, MAX_NAME_LENGTH).trim().toLowerCase().replaceAll(/[\s-]/g, "_");

export const normalizeSignals = (signals: StopSignals): StopSignals => ({
  ...signals,
  errorType: normalizeName(signals.errorType),
  finishReason: normalizeName(signals.finishReason),
  signal: normalizeName(signals.signal),
});

/**
 * The signal has precedence: an interrupted program must not be resumed because its last request
 * was refused. Then the provider's error, then the model's finish reason.
 */
export function verdictOfSignals(signals: StopSignals): Verdict | null {
  const { signal, errorType, finishReason } = signals;
  return (
    lookUp("signal", SIGNALS, signal) ??
    lookUp("error type", ERROR_TYPES, errorType) ??
    verdictOfStatus(signals) ??
    lookUp("finish reason", FINISH_REASONS, finishReason) ??
    lookUp("signal", TERMINATION_SIGNALS, signal)
  );
}

export const verdictOfExitCode = (exitCode: number | null): Verdict | null =>
  lookUp("exit code", EXIT_CODES, exitCode?.toString());

function lookUp(source: string, table: Meanings, name: string | undefined): Verdict | null {
  const meaning = name === undefined ? undefined : table.get(name);
  return meaning === undefined ? null : { ...meaning, evidence: `${source} ${name}` };
}

function verdictOfStatus({ httpStatus, retryAfter, retryAfterMs }: StopSignals): Verdict | null {
  if (httpStatus === undefined) return null;
  const hasHint = retryAfter !== undefined || retryAfterMs !== undefined;
  const status = httpStatus.toString();
  const known =
    (hasHint ? lookUp("HTTP status", RETRY_AFTER_STATUSES, status) : null) ??
    lookUp("HTTP status", HTTP_STATUSES, status);
  if (known !== null || httpStatus < 500 || httpStatus > 599) return known;
  return { reason: "network", confidence: 0.75, evidence: `HTTP status ${status}` };
}
