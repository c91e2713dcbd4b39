/**
 * What a session waits for. It is derived from the session, its participants and its jobs, and no
 * decision depends on it.
 */
import type { Participant } from "../participants/participant";
import type { Session } from "../session/session";
import { isTerminal } from "../session/state";

export const WAIT_REASONS = ["review", "person", "job", "time", "agent"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export interface Waiting {
  readonly for: WaitReason;
  /** In ms since 1970. */
  readonly since: number;
}

/** The first reason that applies; null once the session has ended. */
export function waitReasonOf(
  session: Pick<Session, "state" | "automation" | "revoked">,
  participants: readonly Participant[],
  hasOpenJobs: () => boolean,
  now: number,
): WaitReason | null {
  const { state, automation } = session;
  if (isTerminal(state)) return null;
  if (state === "needs_review") return "review";
  const isWaitingForInput = state === "awaiting_input" || state === "awaiting_upload";
  if (isWaitingForInput || participants.some((one) => isAwaited(one, session, now)))
    return "person";
  if (hasOpenJobs()) return "job";
  return automation.resumeAt === null ? "agent" : "time";
}

/** Whether this is a person who was asked to fill something in, still can, and has not yet. */
const isAwaited = (one: Participant, { revoked }: Pick<Session, "revoked">, now: number): boolean =>
  one.link !== undefined &&
  one.scopes.includes("fill") &&
  !one.filled &&
  !revoked.includes(one.number) &&
  (one.expiresAt === null || now < one.expiresAt);

/** The same reason keeps its start time. */
export const waitingSince = (
  reason: WaitReason | null,
  before: Waiting | null,
  now: number,
): Waiting | null =>
  reason === null ? null : { for: reason, since: before?.for === reason ? before.since : now };
