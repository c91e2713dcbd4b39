/**
 * The telemetry of one request: its id, its trace, the time it waited for objects, and the names in its
 * log line. It is found by the request itself, so that it need not be passed through. A request that was
 * not started with `startTelemetry` has none.
 */
import { describeBug } from "../domain/bug";
import type { SessionId } from "../domain/ids";
import { parseTraceparent, type Trace } from "../domain/log/trace";

export interface RequestTelemetry {
  readonly requestId: string;
  readonly trace: Trace | null;
  readonly startedAt: number;
  /** The total time of calls to objects; null if there was none. */
  objectMs: number | null;
  /** Of a well-formed credential, whether or not it turned out to be valid. */
  sessionId?: SessionId;
  /** The owner of the key, or of the created session. Names of the operator's own list. */
  owner?: string;
  key?: string;
  /** The first digits of a refused key's hash, which identify its holder. */
  refusedKey?: string;
  /** Reports the end of one operation, if a request or a connection carries several. */
  readonly report: (operation: OperationReport) => void;
}

export interface OperationReport {
  readonly telemetry: RequestTelemetry;
  readonly route: string;
  /** A name that the server knows, never one from a client. */
  readonly operation: string;
  readonly code: string | undefined;
  /** Must be audited if a key did it. */
  readonly isAuditable?: boolean;
}

const telemetryByRequest = new WeakMap<Request, RequestTelemetry>();

export function startTelemetry(
  request: Request,
  now: number,
  report: RequestTelemetry["report"],
): RequestTelemetry {
  const { headers } = request;
  const traceparent = headers.get("traceparent");
  const telemetry: RequestTelemetry = {
    requestId: requestIdIn(headers),
    trace: traceparent === null ? null : parseTraceparent(traceparent),
    startedAt: now,
    objectMs: null,
    report,
  };
  telemetryByRequest.set(request, telemetry);
  return telemetry;
}

/** For one of several operations of a request, with its own trace if it has one. */
export const operationTelemetry = (
  telemetry: RequestTelemetry,
  now: number,
  traceparent?: unknown,
): RequestTelemetry => ({
  ...telemetry,
  trace: parseTraceparent(traceparent) ?? telemetry.trace,
  startedAt: now,
  objectMs: null,
});

export const telemetryOf = (request: Request): RequestTelemetry | null =>
  telemetryByRequest.get(request) ?? null;

const REQUEST_ID = /^[\w=-]{1,255}$/;

/** The caller's own, the platform's, or a new one. */
function requestIdIn(headers: Headers): string {
  const id = headers.get("X-Request-Id");
  if (id !== null && REQUEST_ID.test(id) && !isSecret(id, headers)) return id;
  return headers.get("cf-ray") ?? crypto.randomUUID();
}

/** The id is logged, so a token, or the key that finds a session, is not accepted. */
const isSecret = (id: string, headers: Headers): boolean =>
  /[rj]tok_/.test(id) || id === headers.get("Idempotency-Key");

/** The log line of a bug, with the request that caused it. Without the path: it may contain a secret. */
export function formatBug(request: Request, error: unknown): string {
  const { requestId, sessionId } = telemetryOf(request) ?? {};
  const { method } = request;
  return JSON.stringify({
    message: "unhandled",
    requestId,
    sessionId,
    method,
    ...describeBug(error),
  });
}
