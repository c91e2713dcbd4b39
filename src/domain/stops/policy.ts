/**
 * The policy for automatic resumes and checkpoints: the defaults, and what the creator of a session
 * may set. The import has a file extension, so that scripts can use this file directly.
 */
import { omitUndefined } from "../result.ts";

export const STOP_REASONS = [
  "rate_limit",
  "context_exhausted",
  "crash",
  "network",
  "timeout",
  "user_exit",
  "completed",
  "unknown",
] as const;
/** Why the work stopped. */
export type StopReason = (typeof STOP_REASONS)[number];

export const STRATEGIES = ["same_session", "new_session", "none"] as const;
/** Wait and continue in the same session, create a new one, or stop. */
export type Strategy = (typeof STRATEGIES)[number];

export interface Policy {
  readonly strategies: Readonly<Record<StopReason, Strategy>>;
  /** Backoff: min(base · 2^(n-1), max), with jitter, for at most maxAttempts attempts. */
  readonly baseMs: number;
  readonly maxMs: number;
  readonly maxAttempts: number;
  /** A share of the wait, from 0 to 1. */
  readonly jitter: number;
  /** This many failed resumes within the window suspend automatic resumes. */
  readonly breaker: { readonly failures: number; readonly windowMs: number };
  readonly keepCheckpoints: number;
  /** If an automatic checkpoint fails, the operation that it protects is refused. */
  readonly strictCheckpoints: boolean;
}

const DEFAULT_POLICY: Policy = {
  strategies: {
    rate_limit: "same_session",
    context_exhausted: "new_session",
    crash: "same_session",
    network: "same_session",
    timeout: "same_session",
    user_exit: "none",
    completed: "none",
    unknown: "none",
  },
  baseMs: 30_000,
  maxMs: 300_000,
  maxAttempts: 5,
  jitter: 0.1,
  breaker: { failures: 3, windowMs: 300_000 },
  keepCheckpoints: 10,
  strictCheckpoints: false,
};

/** The values that the creator set. The others have their defaults. */
export interface PolicyChoice {
  readonly strategies?: Readonly<Partial<Record<StopReason, Strategy | undefined>>> | undefined;
  readonly baseMs?: number | undefined;
  readonly maxMs?: number | undefined;
  readonly maxAttempts?: number | undefined;
  readonly jitter?: number | undefined;
  readonly breaker?:
    | { readonly failures?: number | undefined; readonly windowMs?: number | undefined }
    | undefined;
  readonly keepCheckpoints?: number | undefined;
  readonly strictCheckpoints?: boolean | undefined;
}

export function policyOf(choice: PolicyChoice | null): Policy {
  if (choice === null) return DEFAULT_POLICY;
  return {
    ...DEFAULT_POLICY,
    ...omitUndefined(choice),
    strategies: { ...DEFAULT_POLICY.strategies, ...omitUndefined(choice.strategies ?? {}) },
    breaker: { ...DEFAULT_POLICY.breaker, ...omitUndefined(choice.breaker ?? {}) },
  };
}
