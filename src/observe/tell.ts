/** What is said of something that ended, to those who run the server: one line, one data point. */
import { toDataPoint } from "../domain/data-point";
import type { SessionId } from "../domain/ids";
import type { Env } from "../env";
import type { Outcome } from "./outcome";

/** What the log calls it: one request, or one of several that came in one request or connection. */
interface Ended {
  readonly message: "request" | "operation";
  readonly requestId: string;
  readonly sessionId: SessionId | undefined;
  readonly traceId: string | undefined;
  readonly method: string | undefined;
  readonly route: string;
  readonly operation: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly objectMs: number | undefined;
}

export type Audience = Pick<Env, "LOG" | "METRICS">;

/** Members that are undefined are not in the line. */
export function tell({ LOG, METRICS }: Audience, ended: Ended): void {
  const hasFailed = ended.outcome === "failed";
  if (LOG === "requests" || (hasFailed && LOG !== "off")) {
    const line = JSON.stringify(ended);
    if (hasFailed) console.error(line);
    else console.log(line);
  }
  if (METRICS === undefined) return;
  const { message: name, durationMs: ms, operation, ...rest } = ended;
  METRICS.writeDataPoint(toDataPoint({ ...rest, name, ms, operation }));
}
