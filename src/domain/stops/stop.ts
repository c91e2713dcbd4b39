/**
 * Why an agent stopped, and what to do: wait and continue in the same session, start a new one from
 * the next step, or stop. The clock and the random number are arguments.
 */
import { omitUndefined } from "../result";
import { backoffMs } from "../backoff";
import type { NewServerEvent } from "../log/event";
import type { JsonObject } from "../json";
import { policyOf, type Policy, type StopReason, type Strategy } from "./policy";
import type { Session } from "../session/session";

export interface StopReport {
  readonly reason: StopReason;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly retryAfterMs?: number | undefined;
  /** The value of the Retry-After header: seconds, or an HTTP date. */
  readonly retryAfter?: string | undefined;
  readonly usage?: JsonObject | undefined;
  readonly exitCode?: number | undefined;
  readonly evidence?: string | undefined;
  readonly confidence?: number | undefined;
}

/** What to do after a stop. */
export interface StopDecision {
  /** Wait and continue in the same session, create a new one, or stop. */
  readonly strategy: Strategy;
  /** When to continue, ISO 8601; null if not at all. */
  readonly resumeAt: string | null;
  /** How long that is from now. */
  readonly waitMs: number;
  /** The next attempt, or null if there is none. */
  readonly attempt: number | null;
  /** The reason as text. */
  readonly why: string;
}

interface StopContext {
  readonly session: Session;
  /** Whether the reporter resumed since the last stop. Then this stop is a failed resume. */
  readonly hasResumed: boolean;
  readonly now: number;
  /** From 0 (included) to 1 (excluded). */
  readonly dice: number;
}

/** Reasons that count as a failed attempt, so that repeated resumes form a loop. */
const FAILURES: ReadonlySet<StopReason> = new Set([
  "rate_limit",
  "crash",
  "network",
  "timeout",
  "unknown",
]);

export function decideStop(
  report: StopReport,
  context: StopContext,
): { readonly decision: StopDecision; readonly events: readonly NewServerEvent[] } {
  const policy = policyOf(context.session.policy);
  const failures = recentFailures(report, context, policy);
  const isLooping = failures.length >= policy.breaker.failures;
  const { suspended } = context.session.automation;
  const decision = decisionFor(report, context, policy, suspended || isLooping);
  const reported: NewServerEvent = {
    type: "stop.reported",
    payload: {
      ...omitUndefined(report),
      decision: { ...decision },
      failures,
      outcome: outcomeOf(decision),
    },
  };
  const suspending: NewServerEvent = {
    type: "resume.suspended",
    payload: {
      failures: failures.length,
      windowMs: policy.breaker.windowMs,
      outcome: "failure",
      reason: "too many resumes failed in a short time",
    },
  };
  return { decision, events: isLooping && !suspended ? [reported, suspending] : [reported] };
}

/** Times of failed resumes within the window, including this one. */
function recentFailures(
  { reason, attempt }: StopReport,
  { session, hasResumed, now }: StopContext,
  { breaker }: Policy,
): readonly number[] {
  const earlier = session.automation.failures.filter((at) => at > now - breaker.windowMs);
  return FAILURES.has(reason) && (attempt > 1 || hasResumed) ? [...earlier, now] : earlier;
}

function decisionFor(
  report: StopReport,
  { session, now, dice: random }: StopContext,
  policy: Policy,
  isSuspended: boolean,
): StopDecision {
  const strategy = policy.strategies[report.reason];
  if (strategy === "none")
    return stopBecause(NONE[report.reason] ?? "the policy does not resume after this");
  if (session.paused) return stopBecause("the session is paused");
  if (isSuspended) {
    return stopBecause(
      "automatic resumes are suspended after failed resumes; unpause allows them again",
    );
  }
  if (strategy === "new_session") {
    const at = new Date(now).toISOString();
    const why = "this session cannot be continued as it is; start a new one from the next step";
    return { strategy, resumeAt: at, waitMs: 0, attempt: 1, why };
  }
  if (report.attempt >= policy.maxAttempts) {
    return stopBecause(`attempt ${report.attempt} of ${policy.maxAttempts} failed`);
  }
  const hint = hintOf(report, now);
  const waitMs =
    hint === null
      ? backoffMs(policy, report.attempt, random)
      : // Never earlier than the hint: jitter only adds to it.
        Math.ceil(hint * (1 + policy.jitter * random));
  return {
    strategy,
    resumeAt: new Date(now + waitMs).toISOString(),
    waitMs,
    attempt: report.attempt + 1,
    why: hint === null ? "backing off" : "waiting as asked for by the provider",
  };
}

const NONE: Readonly<Partial<Record<StopReason, string>>> = {
  user_exit: "the user ended it",
  completed: "the work is done",
  unknown: "the reason is unknown",
};

const stopBecause = (why: string): StopDecision => ({
  strategy: "none",
  resumeAt: null,
  waitMs: 0,
  attempt: null,
  why,
});

function hintOf({ retryAfterMs, retryAfter }: StopReport, now: number): number | null {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return retryAfter === undefined ? null : retryAfterMsOf(retryAfter, now);
}

/**
 * An HTTP date starts with the day of the week. Date.parse alone accepts almost anything, even
 * "1.5" and "-3".
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? /;

/** The wait of a Retry-After value in milliseconds, or null if the value is not valid. */
export function retryAfterMsOf(value: string, now: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  if (!HTTP_DATE.test(value)) return null;
  // The oldest form has no zone and means GMT, as the others do.
  const date = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

const outcomeOf = ({ strategy, waitMs }: StopDecision) => {
  if (strategy === "none") return "skipped";
  return waitMs > 0 ? "pending" : "success";
};
