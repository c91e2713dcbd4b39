/**
 * When a session ends and when its storage is deleted. This depends on the clock and never on
 * whether an alarm ran: a late, lost or repeated alarm can cost storage, but not correctness.
 */
import { IDLE_STEP_MS } from "../limits";
import type { Participant } from "../participants/participant";
import type { Session } from "./session";
import { isTerminal } from "./state";

type Times = Pick<Session, "state" | "expiresAt" | "endedAt" | "retentionMs">;

/** Finalized, rejected and cancelled sessions no longer expire. */
const hasEnded = (session: Times): boolean =>
  isTerminal(session.state) && session.state !== "expired";

/** Once recorded, the expiry stays, even for a clock that is behind. */
export const isExpired = (session: Times, now: number): boolean =>
  !hasEnded(session) && (session.state === "expired" || now >= session.expiresAt);

export const isParticipantExpired = (
  participant: Pick<Participant, "expiresAt">,
  now: number,
): boolean => participant.expiresAt !== null && now >= participant.expiresAt;

export const purgeAt = (session: Times): number =>
  (hasEnded(session) ? (session.endedAt ?? session.expiresAt) : session.expiresAt) +
  session.retentionMs;

/** The expiry as clients see it. */
export const expiryTime = ({ expiresAt }: Pick<Session, "expiresAt">): string =>
  new Date(expiresAt).toISOString();

/** From then on the session responds as if its storage were already empty. */
export const isPurgeable = (session: Times, now: number): boolean => now >= purgeAt(session);

/**
 * The new end of a session after use, or null if it stays. It moves at most once a day, and never
 * earlier.
 */
export function endAfterUse(
  session: Times & Pick<Session, "idleTtlMs">,
  now: number,
): number | null {
  const { idleTtlMs, expiresAt } = session;
  if (idleTtlMs === null || isTerminal(session.state)) return null;
  const end = now + idleTtlMs;
  return end - expiresAt >= IDLE_STEP_MS ? end : null;
}

/** The task that the alarm has to do now. */
export function dueTask(
  session: Times & Pick<Session, "automation">,
  now: number,
): "purge" | "record_expiry" | "announce_resume" | null {
  if (isPurgeable(session, now)) return "purge";
  if (isExpired(session, now)) return session.state === "expired" ? null : "record_expiry";
  const { resumeAt } = session.automation;
  return resumeAt !== null && now >= resumeAt ? "announce_resume" : null;
}

/**
 * When the alarm is next needed. `jobs` and `links` are the earliest due times of the jobs and
 * links.
 */
export const nextDueAt = (
  session: Times & Pick<Session, "automation">,
  jobs: number | null = null,
  links: number | null = null,
): number =>
  isTerminal(session.state)
    ? purgeAt(session)
    : Math.min(
        session.expiresAt,
        session.automation.resumeAt ?? Infinity,
        jobs ?? Infinity,
        links ?? Infinity,
      );
