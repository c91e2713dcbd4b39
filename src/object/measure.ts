/** Metrics and log lines of the object for operators: data points of its commits, and its bugs. */
import { describeBug } from "../domain/bug";
import { measuresOf, toDataPoint } from "../observe/data-point";
import type { SessionId } from "../domain/ids";
import { countersOf } from "../observe/commit-counters";
import type { EndpointStatus } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { CommitRecord } from "../storage/commit-log";
import { counters } from "../counters";

type Metrics = Env["METRICS"];

/** Called after the transaction, so that a rollback is not counted. */
export function measureCommit(
  metrics: Metrics,
  sessionId: SessionId,
  { commit, participant }: Pick<CommitRecord, "commit" | "participant">,
): void {
  if (counters.isEnabled)
    for (const counter of countersOf(commit, sessionId)) counters.add(counter);
  if (metrics === undefined) return;
  for (const measure of measuresOf(commit, participant, sessionId)) {
    metrics.writeDataPoint(toDataPoint(measure));
  }
}

/** Only the alarm can be late, so only its purges are also measured. */
export function countPurge(by: "alarm" | "request"): void {
  if (counters.isEnabled)
    counters.add({ name: "baton_sessions_purged_total", labels: { by }, amount: 1 });
}

export function measurePurge(metrics: Metrics, sessionId: SessionId, lateMs: number): void {
  countPurge("alarm");
  metrics?.writeDataPoint(toDataPoint({ name: "session.purged", sessionId, ms: lateMs }));
}

/** The alarm retries by itself; the line names the session it failed for, and the place. */
export const logFailedAlarm = (sessionId: SessionId, error: unknown): void =>
  console.error(JSON.stringify({ message: "alarm failed", sessionId, ...describeBug(error) }));

/**
 * Counts and logs one delivery attempt and its effect on the endpoint. The URL's path is private to
 * the receiver.
 */
export function measureDelivery(
  env: Pick<Env, "LOG">,
  { endpointId, origin, outcome, status, error, became }: DeliveryEnd,
): void {
  if (counters.isEnabled) {
    counters.add({ name: "baton_deliveries_total", labels: { outcome }, amount: 1 });
    if (became !== undefined) {
      counters.add({
        name: "baton_endpoints_changed_total",
        labels: { status: became },
        amount: 1,
      });
    }
  }
  if (outcome === "delivered" || env.LOG === "off") return;
  const line = { message: "delivery", endpointId, origin, outcome, status, error, became };
  console.error(JSON.stringify({ time: new Date().toISOString(), ...line }));
}

interface DeliveryEnd {
  readonly endpointId: string;
  readonly origin: string;
  readonly outcome: "delivered" | "failed" | "given_up";
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** Set if this attempt changed the endpoint's status. */
  readonly became: EndpointStatus | undefined;
}
