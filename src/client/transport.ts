/**
 * One request until it has an answer: the identical bytes again after a lost, cut or late response,
 * after as long as the server asks for, or by backoff. Never decides what an answer means.
 */
import { backoffMs, type Backoff } from "../domain/backoff";
import { abortAfter, linkedController, type Clock } from "./clock";
import { TransportError, type Problem } from "./errors";

/** How often and how long requests are tried again. */
export interface RetryOptions extends Backoff {
  /** How often a request is sent at most. */
  readonly attempts: number;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  /**
   * How long to go on while the server cannot be reached at all, so that nothing was sent. Default
   * 5 s; `Infinity` waits for as many `attempts` as for anything else.
   */
  readonly unreachableMs: number;
  /**
   * How long whoever follows events or waits for one goes on without a connection, counted from the
   * first failure. Default 15 minutes; `Infinity` goes on until the signal ends it.
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
  /** The owner's key, for beginning sessions. Never saved. */
  readonly key?: string;
}

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Blob | null;
  /** On top of the usual limit, for answers that are meant to wait. */
  readonly extraTimeMs?: number;
  /** The answer is a file: its body is bytes and not JSON, unless it is a refusal. */
  readonly wantsBytes?: boolean;
  /** Of one who waits: how long to go on without an answer, however many attempts that takes. */
  readonly outageMs?: number;
}

/** An answer of the server. */
export interface WireAnswer {
  /** Its status. */
  readonly status: number;
  /** Whether the status is a success. */
  readonly isOk: boolean;
  /** The request had been done before, and this is its answer again. */
  readonly isReplayed: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- each caller knows the shape of its answer
  /** The body, read as JSON. */
  readonly body: any;
  /** How often it was sent. */
  readonly attempts: number;
}

/** Refusals that mean "later": the same request may then succeed. */
export const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  "rate_limited",
  "overloaded",
  "busy",
  "internal",
]);

type Attempt =
  | { readonly answer: Omit<WireAnswer, "attempts"> }
  | {
      readonly lost: string;
      readonly cause?: unknown;
      readonly waitMs?: number | null;
      /** There was no connection, so nothing of the request has arrived. */
      readonly isUnreached?: boolean;
    };

/** Codes of a connection that never was. */
const CONNECTION_ERROR_CODES: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  // Of TLS that was never agreed on: a port without it, or a certificate that is not trusted.
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

export async function sendWithRetry(
  means: ClientConfig,
  request: WireRequest,
  signal: AbortSignal | undefined,
  isPending = false,
): Promise<WireAnswer> {
  const began = means.clock.now();
  let wasReached = false;
  let failedAt: number | null = null;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const attempt = await sendOnce(means, request, signal);
    failedAt ??= means.clock.now();
    const last =
      request.outageMs === undefined
        ? attempts >= means.retry.attempts
        : means.clock.now() - failedAt >= request.outageMs;
    if ("answer" in attempt) {
      const { answer } = attempt;
      if (last || !isRetryable(answer)) return { ...answer, attempts };
      await means.clock.sleep(retryDelayMs(answer, attempts, means), signal);
      continue;
    }
    wasReached ||= attempt.isUnreached !== true;
    const waitMs = attempt.waitMs ?? backoffMs(means.retry, attempts, means.random());
    const passedMs = means.clock.now() - began + waitMs;
    const isTooLong =
      request.outageMs === undefined && !wasReached && passedMs > means.retry.unreachableMs;
    if (last || isTooLong) {
      throw new TransportError(attempt.lost, attempts, isPending, attempt.cause);
    }
    await means.clock.sleep(waitMs, signal);
  }
}

export const isRetryable = ({ isOk, body }: Pick<WireAnswer, "isOk" | "body">): boolean =>
  !isOk && RETRYABLE_CODES.has((body as Problem).code);

function retryDelayMs(
  { body }: Pick<WireAnswer, "body">,
  attempts: number,
  { retry, random }: ClientConfig,
): number {
  const asked = (body as Problem).retryAfterMs;
  const own = backoffMs(retry, attempts, random());
  // Never earlier than asked for; jitter only adds.
  return asked === undefined
    ? own
    : Math.max(asked, Math.ceil(asked * (1 + retry.jitter * random())));
}

async function sendOnce(
  { fetch, clock, retry }: ClientConfig,
  request: WireRequest,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { controller, release } = linkedController(signal);
  const answered = abortAfter(retry.timeoutMs + (request.extraTimeMs ?? 0), clock, controller);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      signal: controller.signal,
      // A redirect would carry the token elsewhere.
      redirect: "manual",
      ...(request.body === null ? {} : { body: request.body }),
    });
    if (request.wantsBytes === true && response.ok) return await readBytes(response);
    return readResponse(response, await response.text(), clock.now());
  } catch (cause) {
    signal?.throwIfAborted();
    const why = controller.signal.aborted ? (controller.signal.reason as Error) : cause;
    return {
      lost: `No response from ${originOf(request.url)}: ${reasonOf(why)}`,
      cause: why,
      isUnreached: !controller.signal.aborted && isConnectionError(why),
    };
  } finally {
    answered();
    release();
  }
}

/** Bytes that ended early count as lost. */
async function readBytes(response: Response): Promise<Attempt> {
  const body = new Uint8Array(await response.arrayBuffer());
  const length = response.headers.get("Content-Length");
  return length !== null && Number(length) !== body.byteLength
    ? { lost: `The response has ${body.byteLength} bytes instead of ${length}.` }
    : { answer: { status: response.status, isOk: true, isReplayed: false, body } };
}

/** A body that is not whole counts as lost: the request may have been done. */
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
  return { lost: `The response (status ${status}) is not a complete response from Baton.`, waitMs };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Seconds or an HTTP date, as proxies in between may send it. */
function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Paths may hold a token and stay out of messages. */
const originOf = (url: string): string => new URL(url).origin;

/** Where the runtime tells no code, as browsers do not, nothing is known of how far it came. */
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
