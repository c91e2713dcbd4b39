/** Reports an ended request or operation to the operator: one log line, one data point, and counters. */
import { toDataPoint, type Measure } from "./data-point";
import type { Env } from "../env";
import { counters } from "../counters";
import { RESUME_ROUTE, type Outcome } from "./outcome";

/** A request, or one of several operations of a request or connection. */
interface RequestLogEntry extends Omit<Measure, "name" | "ms" | "participant" | "actorKind"> {
  readonly message: "request" | "operation";
  readonly requestId: string;
  readonly key: string | undefined;
  readonly traceId: string | undefined;
  readonly route: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** For a change by a key, or a refused key: these are logged unless the log is off. */
  readonly audit: Audit | undefined;
}

/** Where the request came from, and which key was refused. */
export interface Audit {
  readonly address: string | null;
  readonly refusedKey: string | undefined;
}

export type LogSettings = Pick<Env, "LOG" | "METRICS" | "METRICS_TOKEN" | "CALLER">;

/** Undefined members are not in the line. */
export function logRequest(
  { LOG, METRICS }: LogSettings,
  entry: RequestLogEntry,
  now: number,
): void {
  const { audit, ...logged } = entry;
  if (counters.isEnabled) count(logged);
  const hasFailed = logged.outcome === "failed";
  if (LOG === "requests" || ((hasFailed || audit !== undefined) && LOG !== "off")) {
    const line = JSON.stringify({ time: new Date(now).toISOString(), ...logged, ...audit });
    if (hasFailed) console.error(line);
    else console.log(line);
  }
  if (METRICS === undefined) return;
  METRICS.writeDataPoint(toDataPoint({ ...logged, name: logged.message, ms: logged.durationMs }));
}

const METHODS: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "));

const add = (name: string, labels: Readonly<Record<string, string>>, amount = 1): void =>
  counters.add({ name, labels, amount });

/** For /metrics. Every label has a bounded number of values, whatever a client sends. */
function count({
  method,
  route,
  status,
  operation,
  code,
  outcome,
  durationMs,
}: Omit<RequestLogEntry, "audit">): void {
  if (operation !== undefined) add("baton_operations_total", { route, operation, outcome });
  else {
    const verb = METHODS.has(method ?? "") ? (method ?? "") : "other";
    add("baton_requests_total", { method: verb, route, status: String(status) });
    add("baton_request_seconds_total", { route }, durationMs / 1000);
  }
  if (outcome === "conflict") add("baton_conflicts_total", { code: code ?? "" });
  if (outcome === "replayed") add("baton_replays_total", { route });
  if (route === RESUME_ROUTE || operation === "resume_session" || operation === "session.resume") {
    add("baton_resume_requests_total", { result: outcome });
  }
}
