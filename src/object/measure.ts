/** What the object tells those who run the server: data points of what it committed, and its bugs. */
import { describeBug } from "../domain/bug";
import { measuresOf, toDataPoint } from "../observe/data-point";
import type { SessionId } from "../domain/ids";
import { talliesOf } from "../observe/tallied";
import type { Env } from "../env";
import type { CommitRecord } from "../storage/commit-log";
import { tally } from "../tally";

type Metrics = Env["METRICS"];

/** After the transaction, so that what was undone is not counted. */
export function measureCommit(
  metrics: Metrics,
  sessionId: SessionId,
  { commit, participant }: Pick<CommitRecord, "commit" | "participant">,
): void {
  if (tally.isWanted) for (const tallied of talliesOf(commit, sessionId)) tally.add(tallied);
  if (metrics === undefined) return;
  for (const measure of measuresOf(commit, participant, sessionId)) {
    metrics.writeDataPoint(toDataPoint(measure));
  }
}

export function measurePurge(metrics: Metrics, sessionId: SessionId, lateMs: number): void {
  if (tally.isWanted) tally.add({ name: "baton_sessions_purged_total", labels: {}, amount: 1 });
  metrics?.writeDataPoint(toDataPoint({ name: "session.purged", sessionId, ms: lateMs }));
}

/** The alarm comes back by itself; the line says which session it failed for, and where. */
export const logFailedAlarm = (sessionId: SessionId, error: unknown): void =>
  console.error(JSON.stringify({ message: "alarm failed", sessionId, ...describeBug(error) }));
