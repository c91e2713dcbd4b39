/** Claiming a job and reporting on it. The session alone decides who holds a job. */
import { isExpired, isPurgeable } from "../domain/expiry";
import type { Actor } from "../domain/actor";
import { epochOf, jobIdOf, type Job } from "../domain/job";
import { endedByReport, repeatsEnd } from "../domain/job-end";
import { claim, report, reportProblem, standingOfToken } from "../domain/job-rules";
import type { Json } from "../domain/json";
import { isTerminal } from "../domain/state";
import { allowedOperations } from "../domain/operation";
import type { Session } from "../domain/session";
import type { Claimed, ClaimRequest, JobCredential, Reported, ReportRequest } from "./job-messages";
import type { Reply } from "./messages";
import { commitFacts, hexOf, showJob } from "./jobs";
import { fitting, type Desk } from "./reception";

/** An executor acts as the agent whose jobs it takes. */
const executorOf = ({ agent }: Job): { readonly number: null; readonly actor: Actor } => ({
  number: null,
  actor: { kind: "agent", id: agent },
});

/** Null where there is nothing to claim, whatever the queue said. */
export function claimJob(desk: Desk, request: ClaimRequest, now: number): Claimed | null {
  if (!desk.store.exists()) return null;
  return desk.store.transaction(() => {
    const loaded = desk.store.load();
    const stored = desk.jobs.get(request.number);
    if (loaded === null || stored === null || stored.job.agent !== request.agent) return null;
    if (isTerminal(loaded.session.state) || isExpired(loaded.session, now)) return null;
    const { token, leaseMs, number } = request;
    const change = claim(stored.job, jobIdOf(hexOf(desk), number), { token, leaseMs, now });
    if (change === null) return null;
    commitFacts(desk, loaded.session, change.facts, executorOf(change.job), now);
    desk.jobs.update(change.job);
    return {
      job: showJob(desk, { job: change.job, result: undefined }),
      input: desk.jobs.input(number),
      epoch: epochOf(change.job),
      leaseMs,
    };
  });
}

export function reportJob(desk: Desk, request: ReportRequest, now: number): Reply<Reported> {
  if (!desk.store.exists()) return GONE;
  return fitting(() => desk.store.transaction(() => reportInTransaction(desk, request, now)));
}

function reportInTransaction(
  desk: Desk,
  { credential, report: said, batch }: ReportRequest,
  now: number,
): Reply<Reported> {
  const held = heldJob(desk, credential, now);
  if (!held.ok) return held;
  const { session, job, standing } = held.value;
  // Told with every answer until the executor stops; what it says meanwhile is not written.
  if (standing === "cancelled") return answer(job, true, false);
  if (standing === "ended") {
    if (repeatsEnd(job, held.value.result, said)) return answer(job, false, true);
    const isOtherEnd = said.what === "result" || said.what === "error";
    return isOtherEnd && endedByReport(job) ? illegal(session, "job_ended") : SUPERSEDED;
  }
  if (standing === "fenced") return SUPERSEDED;
  if (isTerminal(session.state)) return illegal(session);
  if (batch !== null && job.batches?.includes(batch)) return answer(job, false, true);
  const problem = reportProblem(said);
  if (problem !== null) return { ok: false, failure: problem };
  const id = jobIdOf(hexOf(desk), job.number);
  const change = report(job, id, said, { head: desk.store.jobHead(), now, batch });
  if (change.facts.length > 0) {
    commitFacts(desk, session, change.facts, executorOf(job), now);
  }
  const result =
    said.what === "result" && said.resultId === undefined ? (said.result ?? null) : undefined;
  desk.jobs.update(change.job, result);
  return answer(change.job, false, false);
}

/** Is it a job token that still counts for anything? Writes nothing, whatever is presented. */
export const checkJobToken = (desk: Desk, credential: JobCredential, now: number): Reply<null> =>
  desk.store.enter(() => {
    const held = desk.store.exists() ? heldJob(desk, credential, now) : GONE;
    if (!held.ok) return held;
    return held.value.standing === "fenced" ? SUPERSEDED : { ok: true, value: null };
  });

interface HeldJob {
  readonly session: Session;
  readonly job: Job;
  readonly result: Json | undefined;
  readonly standing: ReturnType<typeof standingOfToken>;
}

function heldJob(desk: Desk, credential: JobCredential, now: number): Reply<HeldJob> {
  const loaded = desk.store.load();
  if (loaded === null || isPurgeable(loaded.session, now)) return GONE;
  const { session } = loaded;
  const stored = desk.jobs.get(credential.number);
  const standing = stored === null ? "unknown" : standingOfToken(stored.job, credential, now);
  if (stored === null || standing === "unknown") {
    return { ok: false, failure: { code: "token_invalid" } };
  }
  if (isExpired(session, now)) {
    const { expiresAt } = session;
    return { ok: false, failure: { code: "expired", expiresAt, what: "session" } };
  }
  return { ok: true, value: { session, ...stored, standing } };
}

const illegal = ({ state: from }: Session, why?: "job_ended"): Reply<never> => ({
  ok: false,
  failure: {
    code: "illegal_transition",
    from,
    operation: "submitJob",
    allowed: allowedOperations(from),
    ...(why === undefined ? {} : { why }),
  },
});

const GONE = { ok: false, failure: { code: "gone" } } as const;
const SUPERSEDED = { ok: false, failure: { code: "token_superseded" } } as const;

const answer = (job: Job, cancelRequested: boolean, replayed: boolean): Reply<Reported> => ({
  ok: true,
  value: {
    cancelRequested,
    leaseExpiresAt: new Date(job.leaseExpiresAt ?? job.endedAt ?? 0).toISOString(),
    replayed,
  },
});
