/**
 * Sends one request until it has a response: retries with identical bytes after a lost, truncated
 * or late response, after the time that the server asks for or by backoff. Never interprets a
 * response.
 */
import { backoffMs, type Backoff } from "../domain/backoff";
import { abortAfter, linkedController, type Clock } from "./clock";
import { TransportError, type Problem } from "./errors";

/** How often and how long requests are retried. */
export interface RetryOptions extends Backoff {
  /** The maximum number of attempts. */
  readonly attempts: number;
  /** The timeout of one attempt. */
  readonly timeoutMs: number;
  /**
   * How long to retry while the server cannot be reached at all, so that nothing was sent. Default
   * 5 s; with `Infinity` only `attempts` limits it.
   */
  readonly unreachableMs: number;
  /**
   * How long calls that follow or wait for events go on without a connection, counted from the
   * first failure. Default 15 minutes; `Infinity` goes on until the signal aborts.
   */
  readonly outageMs: number;
}

export const DEFAULT_RETRY: RetryOptions = {
  baseMs: 250,
  maxMs: 10_000,
  jitter: 0.1,
  attempts: 8,
  timeoutMs: 30_000,
  unreachableMs: 5_000,
  outageMs: 15 * 60 * 1000,
};

export interface ClientConfig {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly retry: RetryOptions;
  /** The owner's key, for creating sessions. Never saved. */
  readonly key?: string;
}

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Blob | null;
  /** Added to the usual timeout, for responses that are expected to wait. */
  readonly extraTimeMs?: number;
  /** The response is a file: its body is bytes and not JSON, unless it is a refusal. */
  readonly wantsBytes?: boolean;
  /**
   * For calls that wait: how long to go on without a response, however many attempts that takes.
   */
  readonly outageMs?: number;
}

/** A response of the server. */
export interface WireAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Whether the status is a success. */
  readonly isOk: boolean;
  /** The request had already been done, and its response was replayed. */
  readonly isReplayed: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- each caller knows the shape of its answer
  /** The body, read as JSON. */
  readonly body: any;
  /** The number of attempts. */
  readonly attempts: number;
}

/** Codes of refusals after which the same request may succeed later. */
export const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "rate_limited",
  "overloaded",
  "busy",
  "internal",
]);

type Attempt =
  | { readonly answer: Omit<WireAnswer, "attempts"> }
  | {
      readonly failure: string;
      readonly cause?: unknown;
      readonly waitMs?: number | null;
      /** There was no connection, so that nothing of the request has arrived. */
      readonly isConnectionError?: boolean;
    };

/** Error codes of a connection that was never established. */
const CONNECTION_ERROR_CODES: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  // TLS could not be agreed on: the port has no TLS, or the certificate is not trusted.
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

export async function sendWithRetry(
  config: ClientConfig,
  request: WireRequest,
  signal: AbortSignal | undefined,
  isPending = false,
): Promise<WireAnswer> {
  const startedAt = config.clock.now();
  let wasReached = false;
  let failedAt: number | null = null;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const attempt = await sendOnce(config, request, signal);
    failedAt ??= config.clock.now();
    const last =
      request.outageMs === undefined
        ? attempts >= config.retry.attempts
        : config.clock.now() - failedAt >= request.outageMs;
    if ("answer" in attempt) {
      const { answer } = attempt;
      if (last || !isRetryable(answer)) return { ...answer, attempts };
      await config.clock.sleep(retryDelayMs(answer, attempts, config), signal);
      continue;
    }
    wasReached ||= attempt.isConnectionError !== true;
    const waitMs = attempt.waitMs ?? backoffMs(config.retry, attempts, config.random());
    const elapsedMs = config.clock.now() - startedAt + waitMs;
    const isTooLong =
      request.outageMs === undefined && !wasReached && elapsedMs > config.retry.unreachableMs;
    if (last || isTooLong) {
      throw new TransportError(attempt.failure, attempts, isPending, attempt.cause);
    }
    await config.clock.sleep(waitMs, signal);
  }
}

export const isRetryable = ({ isOk, body }: Pick<WireAnswer, "isOk" | "body">): boolean =>
  !isOk && RETRYABLE_CODES.has((body as Problem).code);

function retryDelayMs(
  { body }: Pick<WireAnswer, "body">,
  attempts: number,
  { retry, random }: ClientConfig,
): number {
  const requestedMs = (body as Problem).retryAfterMs;
  const backoff = backoffMs(retry, attempts, random());
  // Never earlier than requested; the jitter only adds.
  return requestedMs === undefined
    ? backoff
    : Math.max(requestedMs, Math.ceil(requestedMs * (1 + retry.jitter * random())));
}

async function sendOnce(
  { fetch, clock, retry }: ClientConfig,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { controller, release } = linkedController(signal);
  const cancelTimeout = abortAfter(retry.timeoutMs + (request.extraTimeMs ?? 0), clock, controller);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      signal: controller.signal,
      // A redirect would send the token to another server.
      redirect: "manual",
      ...(request.body === null ? {} : { body: request.body }),
    });
    if (request.wantsBytes === true && response.ok) return await readBytes(response);
    return readResponse(response, await response.text(), clock.now());
  } catch (cause) {
    signal?.throwIfAborted();
    const why = controller.signal.aborted ? (controller.signal.reason as Error) : cause;
    return {
      failure: `No response from ${originOf(request.url)}: ${reasonOf(why)}`,
      cause: why,
      isConnectionError: !controller.signal.aborted && isConnectionError(why),
    };
  } finally {
    cancelTimeout();
    release();
  }
}

/** A truncated body counts as lost. */
async function readBytes(response: Response): Promise<Attempt> {
  const body = new Uint8Array(await response.arrayBuffer());
  const length = response.headers.get("Content-Length");
  return length !== null && Number(length) !== body.byteLength
    ? { failure: `The response has ${body.byteLength} bytes instead of ${length}.` }
    : { answer: { status: response.status, isOk: true, isReplayed: false, body } };
}

/** An incomplete body counts as lost: the request may have been done. */
function readResponse(response: Response, text: string, now: number): Attempt {
  const { status, headers } = response;
  const isReplayed = headers.get("Idempotent-Replayed") === "true";
  if (status === 204 || status === 304) {
    return { answer: { status, isOk: true, isReplayed, body: null } };
  }
  const body = parseObject(text);
  const isOk = status >= 200 && status < 300;
  if (body !== null && (isOk || typeof body["code"] === "string")) {
    return { answer: { status, isOk, isReplayed, body } };
  }
  const waitMs = retryAfterMs(headers.get("Retry-After"), now);
  return {
    failure: `The response (status ${status}) is not a complete response from Baton.`,
    waitMs,
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Seconds or an HTTP date, as proxies may send it. */
function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Paths may contain a token, so messages do not contain them. */
const originOf = (url: string): string => new URL(url).origin;

/** Without a code, as in browsers, it is not known how far the request came. */
function isConnectionError(cause: unknown): boolean {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return CONNECTION_ERROR_CODES.has((inner as { readonly code?: unknown } | null)?.code);
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown reason";
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  const code = (inner as { code?: unknown }).code;
  return inner.message === "" && typeof code === "string" ? code : inner.message;
}
