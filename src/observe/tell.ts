/** What is said of something that ended, to those who run the server: one line, one data point. */
import { toDataPoint } from "./data-point";
import type { SessionId } from "../domain/ids";
import type { Env } from "../env";
import { tally } from "../tally";
import { RESUME, type Outcome } from "./outcome";

/** What the log calls it: one request, or one of several that came in one request or connection. */
interface Ended {
  readonly message: "request" | "operation";
  readonly requestId: string;
  readonly sessionId: SessionId | undefined;
  readonly owner: string | undefined;
  readonly key: string | undefined;
  readonly traceId: string | undefined;
  readonly method: string | undefined;
  readonly route: string;
  readonly operation: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly objectMs: number | undefined;
  /** Of an act by a key, or a key that was refused: these are told unless nothing is. */
  readonly audit: Audit | undefined;
}

/** Who did it, beside the key: where from, or which key it was where nobody has it. */
export interface Audit {
  readonly address: string | null;
  readonly refusedKey: string | undefined;
}

export type Audience = Pick<Env, "LOG" | "METRICS" | "METRICS_TOKEN" | "CALLER">;

/** Members that are undefined are not in the line. */
export function tell({ LOG, METRICS }: Audience, whole: Ended, now: number): void {
  const { audit, ...ended } = whole;
  if (tally.isWanted) count(ended);
  const hasFailed = ended.outcome === "failed";
  if (LOG === "requests" || ((hasFailed || audit !== undefined) && LOG !== "off")) {
    const line = JSON.stringify({ time: new Date(now).toISOString(), ...ended, ...audit });
    if (hasFailed) console.error(line);
    else console.log(line);
  }
  if (METRICS === undefined) return;
  const { message: name, durationMs: ms, operation, ...rest } = ended;
  METRICS.writeDataPoint(toDataPoint({ ...rest, name, ms, operation }));
}

const METHODS: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "));

const add = (name: string, labels: Readonly<Record<string, string>>, amount = 1): void =>
  tally.add({ name, labels, amount });

/** For /metrics. Every label has a bounded number of values, whatever a client sends. */
function count({
  method,
  route,
  status,
  operation,
  code,
  outcome,
  durationMs,
}: Omit<Ended, "audit">): void {
  if (operation !== undefined) add("baton_operations_total", { route, operation, outcome });
  else {
    const verb = METHODS.has(method ?? "") ? (method ?? "") : "other";
    add("baton_requests_total", { method: verb, route, status: String(status) });
    add("baton_request_seconds_total", { route }, durationMs / 1000);
  }
  if (outcome === "conflict") add("baton_conflicts_total", { code: code ?? "" });
  if (outcome === "replayed") add("baton_replays_total", { route });
  if (route === RESUME || operation === "resume_session" || operation === "session.resume") {
    add("baton_resume_requests_total", { result: outcome });
  }
}
