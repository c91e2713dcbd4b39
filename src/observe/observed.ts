/**
 * Where every request begins and ends: it gets its id and its clock, and when its answer is ready,
 * what may be said of it is said in headers, in one log line and in one data point. Where neither log
 * nor metrics are wanted nothing is built for them.
 */
import { toDataPoint } from "../domain/data-point";
import type { Env } from "../env";
import { openCall, type Call } from "../gateway/call";
import { PROBLEM_JSON } from "../protocol/media";
import { outcomeOf } from "./outcome";
import { routePattern } from "./route-pattern";

export async function observed(
  request: Request,
  env: Pick<Env, "LOG" | "METRICS">,
  serve: () => Response | Promise<Response>,
): Promise<Response> {
  const call = openCall(request, Date.now());
  const response = await serve();
  const durationMs = Date.now() - call.startedAt;
  response.headers.set("X-Request-Id", call.requestId);
  response.headers.set("Server-Timing", serverTiming(durationMs, call.objectMs));
  const isLogged = isWanted(env.LOG, response.status);
  if (!isLogged && env.METRICS === undefined) return response;
  return report(request, response, { call, durationMs, isLogged, metrics: env.METRICS });
}

const serverTiming = (totalMs: number, objectMs: number | null): string =>
  objectMs === null ? `total;dur=${totalMs}` : `total;dur=${totalMs}, object;dur=${objectMs}`;

const isWanted = (level: Env["LOG"], status: number): boolean =>
  level === "requests" || (status >= 500 && level !== "off");

interface Observation {
  readonly call: Call;
  readonly durationMs: number;
  readonly isLogged: boolean;
  readonly metrics: Env["METRICS"];
}

async function report(
  request: Request,
  response: Response,
  { call, durationMs, isLogged, metrics }: Observation,
): Promise<Response> {
  const [answer, problem] = await readProblem(response);
  const { status } = answer;
  const code = problem ?? call.code;
  const { method } = request;
  const route = routePattern(new URL(request.url).pathname);
  const outcome = outcomeOf(answer, code, route);
  const { requestId, sessionId, trace, tool, objectMs } = call;
  if (isLogged) {
    const line = JSON.stringify({
      message: "request",
      requestId,
      sessionId,
      traceId: trace?.traceId,
      method,
      route,
      tool,
      status,
      code,
      outcome,
      durationMs,
      objectMs: objectMs ?? undefined,
    });
    if (status >= 500) console.error(line);
    else console.log(line);
  }
  metrics?.writeDataPoint(
    toDataPoint({
      name: "request",
      route: tool === undefined ? route : `${route} ${tool}`,
      method,
      outcome,
      code,
      sessionId,
      ms: durationMs,
      objectMs,
      status,
    }),
  );
  return answer;
}

/** The code of a problem stands in its body, which is short and already whole. */
async function readProblem(response: Response): Promise<readonly [Response, (string | undefined)?]> {
  if (response.headers.get("Content-Type") !== PROBLEM_JSON) return [response];
  const text = await response.text();
  const answer = new Response(text, response);
  return [answer, codeIn(text)];
}

function codeIn(text: string): string | undefined {
  // A HEAD has a problem's headers and no body.
  if (text === "") return undefined;
  const { code } = JSON.parse(text) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
