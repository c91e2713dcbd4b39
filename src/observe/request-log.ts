/** What is said of something that ended, to those who run the server: one line, one data point. */
import { toDataPoint, type Measure } from "./data-point";
import type { Env } from "../env";
import { counters } from "../counters";
import { RESUME_ROUTE, type Outcome } from "./outcome";

/** What the log calls it: one request, or one of several that came in one request or connection. */
interface RequestLogEntry extends Omit<Measure, "name" | "ms" | "participant" | "actorKind"> {
  readonly message: "request" | "operation";
  readonly requestId: string;
  readonly key: string | undefined;
  readonly traceId: string | undefined;
  readonly route: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Of an act by a key, or a key that was refused: these are told unless nothing is. */
  readonly audit: Audit | undefined;
}

/** Who did it, beside the key: where from, or which key it was where nobody has it. */
export interface Audit {
  readonly address: string | null;
  readonly refusedKey: string | undefined;
}

export type LogSettings = Pick<Env, "LOG" | "METRICS" | "METRICS_TOKEN" | "CALLER">;

/** Members that are undefined are not in the line. */
export function logRequest(
  { LOG, METRICS }: LogSettings,
  whole: RequestLogEntry,
  now: number,
): void {
  const { audit, ...ended } = whole;
  if (counters.isEnabled) count(ended);
  const hasFailed = ended.outcome === "failed";
  if (LOG === "requests" || ((hasFailed || audit !== undefined) && LOG !== "off")) {
    const line = JSON.stringify({ time: new Date(now).toISOString(), ...ended, ...audit });
    if (hasFailed) console.error(line);
    else console.log(line);
  }
  if (METRICS === undefined) return;
  METRICS.writeDataPoint(toDataPoint({ ...ended, name: ended.message, ms: ended.durationMs }));
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
