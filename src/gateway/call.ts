/**
 * What is known of one request beside its use case: its id, its trace, how long it waited for objects,
 * and what its log line will say. Found again by the request itself, so that nothing has to be handed
 * through; a request that nobody opened a call for simply has none.
 */
import type { SessionId } from "../domain/ids";
import { parseTraceparent, type Trace } from "../domain/trace";

export interface Call {
  readonly requestId: string;
  readonly trace: Trace | null;
  readonly startedAt: number;
  /** Waits for objects, added up; null where none was asked. */
  objectMs: number | null;
  /** Of an authentic credential, whether or not it turned out to be a good one. */
  sessionId?: SessionId;
  /** The tool that was called and the problem it met, where HTTP says 200 all the same. */
  tool?: string;
  code?: string;
}

const calls = new WeakMap<Request, Call>();

export function openCall(request: Request, now: number): Call {
  const { headers } = request;
  const traceparent = headers.get("traceparent");
  const call: Call = {
    requestId: requestIdIn(headers),
    trace: traceparent === null ? null : parseTraceparent(traceparent),
    startedAt: now,
    objectMs: null,
  };
  calls.set(request, call);
  return call;
}

/**
 * For one message of a request that may hold several, with a trace of its own where it carries one.
 * What is noted there is told with `noteBack`; of several the last one told is what the line says.
 */
export const callOfMessage = (call: Call, tool: string, traceparent: unknown): Call => ({
  ...call,
  tool,
  trace: parseTraceparent(traceparent) ?? call.trace,
});

export function noteBack(call: Call, { objectMs, sessionId, tool, code }: Call): void {
  Object.assign(call, { objectMs, sessionId, tool, code });
}

export const callOf = (request: Request): Call | null => calls.get(request) ?? null;

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
