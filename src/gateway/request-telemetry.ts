/**
 * What is known of one request beside its use case: its id, its trace, how long it waited for objects,
 * and what its log line will say. Found again by the request itself, so that nothing has to be handed
 * through; a request that nobody opened a call for simply has none.
 */
import { describeBug } from "../domain/bug";
import type { SessionId } from "../domain/ids";
import { parseTraceparent, type Trace } from "../domain/log/trace";

export interface RequestTelemetry {
  readonly requestId: string;
  readonly trace: Trace | null;
  readonly startedAt: number;
  /** Waits for objects, added up; null where none was asked. */
  objectMs: number | null;
  /** Of an authentic credential, whether or not it turned out to be a good one. */
  sessionId?: SessionId;
  /** Whose key was presented, or who a session was begun for. Names of the operator's own list. */
  owner?: string;
  key?: string;
  /** Of a key that was refused: the beginning of its hash, by which its holder can be told apart. */
  refusedKey?: string;
  /** Tells of one operation that ended, where a request or a connection carries several. */
  readonly report: (told: OperationReport) => void;
}

export interface OperationReport {
  readonly telemetry: RequestTelemetry;
  readonly route: string;
  /** A name that the server knows, never one that a client made up. */
  readonly operation: string;
  readonly code: string | undefined;
  /** Changes what somebody may have to answer for, where a key did it. */
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
  const call: RequestTelemetry = {
    requestId: requestIdIn(headers),
    trace: traceparent === null ? null : parseTraceparent(traceparent),
    startedAt: now,
    objectMs: null,
    report,
  };
  telemetryByRequest.set(request, call);
  return call;
}

/** For one of several that the request carries, with a trace of its own where it names one. */
export const operationTelemetry = (
  call: RequestTelemetry,
  now: number,
  traceparent?: unknown,
): RequestTelemetry => ({
  ...call,
  trace: parseTraceparent(traceparent) ?? call.trace,
  startedAt: now,
  objectMs: null,
});

export const telemetryOf = (request: Request): RequestTelemetry | null =>
  telemetryByRequest.get(request) ?? null;

const REQUEST_ID = /^[\w=-]{1,255}$/;

/** The caller's own, the platform's, or a new one. */
function requestIdIn(headers: Headers): string {
  const given = headers.get("X-Request-Id");
  if (given !== null && REQUEST_ID.test(given) && !isSecret(given, headers)) return given;
  return headers.get("cf-ray") ?? crypto.randomUUID();
}

/** It will stand in logs: a token, or the key that finds a session, is not taken for a name. */
const isSecret = (given: string, headers: Headers): boolean =>
  /[rj]tok_/.test(given) || given === headers.get("Idempotency-Key");

/** What the log says of a bug: which request met it. Not where that went: a path may hold a secret. */
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
