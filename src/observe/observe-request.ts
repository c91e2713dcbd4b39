/**
 * Where every request begins and ends: it gets its id and its clock, and when its answer is ready,
 * what may be said of it is said in headers, in one log line and in one data point. Where neither log
 * nor metrics are wanted nothing is built for them.
 */
import {
  startTelemetry,
  type RequestTelemetry,
  type OperationReport,
} from "../gateway/request-telemetry";
import { PROBLEM_JSON } from "../protocol/media-types";
import { routePattern } from "../protocol/routes";
import { counters } from "../counters";
import { outcomeOf, outcomeOfCode } from "./outcome";
import { logRequest, type LogSettings, type Audit } from "./request-log";

export async function observeRequest(
  request: Request,
  audience: LogSettings,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  counters.isEnabled = Boolean(audience.METRICS_TOKEN);
  const call = startTelemetry(request, Date.now(), (told) =>
    reportOperation(audience, request, told),
  );
  const response = await serve();
  const durationMs = Date.now() - call.startedAt;
  response.headers.set("X-Request-Id", call.requestId);
  // Of a refusal it would tell which wrong tokens reached an object.
  if (response.status < 400) {
    response.headers.set("Server-Timing", serverTiming(durationMs, call.objectMs));
  }
  const { LOG, METRICS } = audience;
  const isWanted = LOG === "requests" || METRICS !== undefined || counters.isEnabled;
  return isWanted || response.status >= 500 || isAudited(request, call)
    ? reportRequest(audience, request, response, call, durationMs)
    : response;
}

const serverTiming = (totalMs: number, objectMs: number | null): string =>
  objectMs === null ? `total;dur=${totalMs}` : `total;dur=${totalMs}, object;dur=${objectMs}`;

async function reportRequest(
  audience: LogSettings,
  request: Request,
  response: Response,
  call: RequestTelemetry,
  durationMs: number,
): Promise<Response> {
  const { answer, code } = await readProblem(response);
  const route = routePattern(pathOf(request.url));
  const ended = {
    message: "request" as const,
    ...commonMembers(call),
    method: request.method,
    route,
    status: answer.status,
    code,
    outcome: outcomeOf(answer, code, route),
    durationMs,
    objectMs: call.objectMs ?? undefined,
    audit: isAudited(request, call) ? auditOf(audience, request, call) : undefined,
  };
  logRequest(audience, ended, Date.now());
  return answer;
}

const commonMembers = ({ requestId, sessionId, owner, key, trace }: RequestTelemetry) => ({
  requestId,
  sessionId,
  owner,
  key,
  traceId: trace?.traceId,
});

/** What executors do all day: claiming jobs with a key. */
const ROUTINE = /\/agents\/[^/]+\/claim$/;

/** An act by an owner's key that somebody may have to answer for, or a key that nobody has. */
function isAudited({ method, url }: Request, { key, refusedKey }: RequestTelemetry): boolean {
  if (refusedKey !== undefined) return true;
  const isReading = method === "GET" || method === "HEAD";
  return key !== undefined && !isReading && !ROUTINE.test(pathOf(url));
}

const auditOf = (
  { CALLER }: LogSettings,
  { headers }: Request,
  { refusedKey }: RequestTelemetry,
): Audit => ({
  address: CALLER === undefined ? headers.get("CF-Connecting-IP") : CALLER.address,
  refusedKey,
});

/** Of a request's address. Not parsed again: it may be one that cannot be. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** One of several that a request or a connection carries: HTTP knows nothing of how it ended. */
function reportOperation(audience: LogSettings, request: Request, told: OperationReport): void {
  const { telemetry, route, operation, code, isAuditable = false } = told;
  const isAudited =
    telemetry.refusedKey !== undefined || (isAuditable && telemetry.key !== undefined);
  const now = Date.now();
  const ended = {
    message: "operation" as const,
    ...commonMembers(telemetry),
    route,
    operation,
    code,
    outcome: outcomeOfCode(code),
    durationMs: now - telemetry.startedAt,
    objectMs: telemetry.objectMs ?? undefined,
    audit: isAudited ? auditOf(audience, request, telemetry) : undefined,
  };
  logRequest(audience, ended, now);
}

/** The code of a problem stands in its body, which is short and already whole. */
async function readProblem(
  response: Response,
): Promise<{ readonly answer: Response; readonly code?: string | undefined }> {
  if (response.headers.get("Content-Type") !== PROBLEM_JSON) return { answer: response };
  const text = await response.text();
  return { answer: new Response(text, response), code: codeIn(text) };
}

function codeIn(text: string): string | undefined {
  // A HEAD has a problem's headers and no body.
  if (text === "") return undefined;
  const { code } = JSON.parse(text) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
