/** What the object tells those who run the server: data points of what it committed, and its bugs. */
import { describeBug } from "../domain/bug";
import { measuresOf, toDataPoint } from "../observe/data-point";
import type { SessionId } from "../domain/ids";
import { countersOf } from "../observe/commit-counters";
import type { EndpointStatus } from "../domain/notices/endpoint";
import type { Env } from "../env";
import type { CommitRecord } from "../storage/commit-log";
import { counters } from "../counters";

type Metrics = Env["METRICS"];

/** After the transaction, so that what was undone is not counted. */
export function measureCommit(
  metrics: Metrics,
  sessionId: SessionId,
  { commit, participant }: Pick<CommitRecord, "commit" | "participant">,
): void {
  if (counters.isEnabled)
    for (const tallied of countersOf(commit, sessionId)) counters.add(tallied);
  if (metrics === undefined) return;
  for (const measure of measuresOf(commit, participant, sessionId)) {
    metrics.writeDataPoint(toDataPoint(measure));
  }
}

/** Only the alarm can be late, so only its purges are measured as well. */
export function countPurge(by: "alarm" | "request"): void {
  if (counters.isEnabled)
    counters.add({ name: "baton_sessions_purged_total", labels: { by }, amount: 1 });
}

export function measurePurge(metrics: Metrics, sessionId: SessionId, lateMs: number): void {
  countPurge("alarm");
  metrics?.writeDataPoint(toDataPoint({ name: "session.purged", sessionId, ms: lateMs }));
}

/** The alarm comes back by itself; the line says which session it failed for, and where. */
export const logFailedAlarm = (sessionId: SessionId, error: unknown): void =>
  console.error(JSON.stringify({ message: "alarm failed", sessionId, ...describeBug(error) }));

/** Of one attempt to post to an endpoint, and of what it did to the endpoint. Its path is the receiver's own. */
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
  /** Where this attempt changed the endpoint's own status. */
  readonly became: EndpointStatus | undefined;
}
