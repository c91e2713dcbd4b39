/**
 * What the alarm does for jobs: deadlines, expired leases, and offers that the queue has not
 * acknowledged.
 */
import type { Decision } from "../domain/session/decision";
import { isExpired } from "../domain/session/expiry";
import { jobIdOf, type Job } from "../domain/jobs/job";
import { decideOverdue, type JobChange } from "../domain/jobs/job-rules";
import { isTerminal } from "../domain/session/state";
import { hexOf, type SessionContext } from "./session-context";
import { SERVER } from "./commit";
import { cancellations, commitJobs } from "./jobs";

/** Makes all changes in one commit. They are derived from the jobs themselves, so running twice is harmless. */
export function settleOverdueJobs(context: SessionContext, now: number): void {
  const loaded = context.store.load();
  if (loaded === null || isTerminal(loaded.session.state) || isExpired(loaded.session, now)) return;
  let head = context.store.jobHead();
  const changes: JobChange[] = [];
  for (const job of context.jobs.dueAt(now)) {
    const change = decideOverdue(job, jobIdOf(hexOf(context), job.number), { head, now });
    if (change === null) continue;
    changes.push(change);
    head = Math.max(head, change.job.lastEventSeq);
  }
  commitJobs(context, loaded.session, changes, SERVER, now);
}

/** Pending jobs that the queue of their agent has not acknowledged. */
export const unofferedJobs = (context: SessionContext): readonly Job[] =>
  context.jobs.dueAt(0).filter((job) => job.status === "pending" && !job.offered);

/** The queue has acknowledged the job. */
export function markJobOffered(context: SessionContext, number: number): void {
  const stored = context.jobs.get(number);
  if (stored?.job.status !== "pending" || stored.job.offered) return;
  context.store.withCacheReset(() => context.jobs.update({ ...stored.job, offered: true }));
}

/** If a decision ends the session, its open jobs are cancelled first, in the same commit. */
export function withJobCancellations(
  context: SessionContext,
  decision: Decision,
  now: number,
): { readonly decision: Decision; readonly jobs: readonly Job[] } {
  const isEnd = decision.events.some(({ state }) => state !== undefined && isTerminal(state));
  const open = isEnd ? context.jobs.open() : [];
  if (open.length === 0) return { decision, jobs: [] };
  const changes = cancellations(context, open, "The session ended.", now);
  const events = [...changes.flatMap((change) => change.events), ...decision.events];
  return { decision: { ...decision, events }, jobs: changes.map(({ job }) => job) };
}
