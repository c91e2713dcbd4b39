/**
 * Observes every request: it gets an id and a clock. When its response is ready, the headers, one log
 * line and one data point report it. If neither log nor metrics are enabled, nothing is built for them.
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
  settings: LogSettings,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  counters.isEnabled = Boolean(settings.METRICS_TOKEN);
  const telemetry = startTelemetry(request, Date.now(), (report) =>
    reportOperation(settings, request, report),
  );
  const response = await serve();
  const durationMs = Date.now() - telemetry.startedAt;
  response.headers.set("X-Request-Id", telemetry.requestId);
  // On a refusal, the timing would reveal which invalid tokens reached an object.
  if (response.status < 400) {
    response.headers.set("Server-Timing", serverTiming(durationMs, telemetry.objectMs));
  }
  const { LOG, METRICS } = settings;
  const isEnabled = LOG === "requests" || METRICS !== undefined || counters.isEnabled;
  return isEnabled || response.status >= 500 || isAudited(request, telemetry)
    ? reportRequest(settings, request, response, telemetry, durationMs)
    : response;
}

const serverTiming = (totalMs: number, objectMs: number | null): string =>
  objectMs === null ? `total;dur=${totalMs}` : `total;dur=${totalMs}, object;dur=${objectMs}`;

async function reportRequest(
  settings: LogSettings,
  request: Request,
  response: Response,
  telemetry: RequestTelemetry,
  durationMs: number,
): Promise<Response> {
  const { answer, code } = await readProblem(response);
  const route = routePattern(pathOf(request.url));
  const entry = {
    message: "request" as const,
    ...commonMembers(telemetry),
    method: request.method,
    route,
    status: answer.status,
    code,
    outcome: outcomeOf(answer, code, route),
    durationMs,
    objectMs: telemetry.objectMs ?? undefined,
    audit: isAudited(request, telemetry) ? auditOf(settings, request, telemetry) : undefined,
  };
  logRequest(settings, entry, Date.now());
  return answer;
}

const commonMembers = ({ requestId, sessionId, owner, key, trace }: RequestTelemetry) => ({
  requestId,
  sessionId,
  owner,
  key,
  traceId: trace?.traceId,
});

/** What executors do all day: claim jobs with a key. */
const ROUTINE = /\/agents\/[^/]+\/claim$/;

/** A change by an owner's key, or an unknown key, must be audited. */
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

/** The path of a request's URL. It is not parsed, because it may be invalid. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** One of several operations of a request or connection: the HTTP response does not show its outcome. */
function reportOperation(settings: LogSettings, request: Request, report: OperationReport): void {
  const { telemetry, route, operation, code, isAuditable = false } = report;
  const isAudited =
    telemetry.refusedKey !== undefined || (isAuditable && telemetry.key !== undefined);
  const now = Date.now();
  const entry = {
    message: "operation" as const,
    ...commonMembers(telemetry),
    route,
    operation,
    code,
    outcome: outcomeOfCode(code),
    durationMs: now - telemetry.startedAt,
    objectMs: telemetry.objectMs ?? undefined,
    audit: isAudited ? auditOf(settings, request, telemetry) : undefined,
  };
  logRequest(settings, entry, now);
}

/** A problem's code is in its body, which is short and already complete. */
async function readProblem(
  response: Response,
): Promise<{ readonly answer: Response; readonly code?: string | undefined }> {
  if (response.headers.get("Content-Type") !== PROBLEM_JSON) return { answer: response };
  const text = await response.text();
  return { answer: new Response(text, response), code: codeIn(text) };
}

function codeIn(text: string): string | undefined {
  // The response to HEAD has a problem's headers and no body.
  if (text === "") return undefined;
  const { code } = JSON.parse(text) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
