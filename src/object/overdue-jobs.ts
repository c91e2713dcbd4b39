/** What the alarm does for jobs: deadlines, leases that ran out, and offers the queue does not know of. */
import type { Decision } from "../domain/session/decision";
import { isExpired } from "../domain/session/expiry";
import { jobIdOf, type Job } from "../domain/jobs/job";
import { overdue, type JobChange } from "../domain/jobs/job-rules";
import { isTerminal } from "../domain/session/state";
import { hexOf, type Room } from "./room";
import { SERVER } from "./commit";
import { cancellations, commitJobs } from "./jobs";

/** In one commit, however many; derived from the jobs themselves, so coming twice is harmless. */
export function settleOverdue(room: Room, now: number): void {
  const loaded = room.store.load();
  if (loaded === null || isTerminal(loaded.session.state) || isExpired(loaded.session, now)) return;
  let head = room.store.jobHead();
  const changes: JobChange[] = [];
  for (const job of room.jobs.dueAt(now)) {
    const change = overdue(job, jobIdOf(hexOf(room), job.number), { head, now });
    if (change === null) continue;
    changes.push(change);
    head = Math.max(head, change.job.lastEventSeq);
  }
  commitJobs(room, loaded.session, changes, SERVER, now);
}

/** Pending jobs that the queue of their agent has not acknowledged. */
export const unoffered = (room: Room): readonly Job[] =>
  room.jobs.dueAt(0).filter((job) => job.status === "pending" && !job.offered);

/** The queue knows of the job. */
export function recordOffer(room: Room, number: number): void {
  const stored = room.jobs.get(number);
  if (stored?.job.status !== "pending" || stored.job.offered) return;
  room.store.forgettingOnFailure(() => room.jobs.update({ ...stored.job, offered: true }));
}

/** Where a decision ends the session, its open jobs end first, in the same commit. */
export function endingWithJobs(
  room: Room,
  decision: Decision,
  now: number,
): { readonly decision: Decision; readonly jobs: readonly Job[] } {
  const isEnd = decision.facts.some(({ state }) => state !== undefined && isTerminal(state));
  const open = isEnd ? room.jobs.open() : [];
  if (open.length === 0) return { decision, jobs: [] };
  const changes = cancellations(room, open, "The session ended.", now);
  const facts = [...changes.flatMap((change) => change.facts), ...decision.facts];
  return { decision: { ...decision, facts }, jobs: changes.map(({ job }) => job) };
}
