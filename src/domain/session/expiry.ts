/**
 * When a session ends and when its storage goes, decided from the clock and never from whether an
 * alarm ran: a late, lost or doubled alarm can cost storage, never correctness.
 */
import { IDLE_STEP_MS } from "../limits";
import type { Participant } from "../participants/participant";
import type { Session } from "./session";
import { isTerminal } from "./state";

type Times = Pick<Session, "state" | "expiresAt" | "endedAt" | "retentionMs">;

/** Finalized, rejected and cancelled sessions no longer expire. */
const hasEnded = (session: Times): boolean =>
  isTerminal(session.state) && session.state !== "expired";

/** Once recorded it stays so, also by a clock that is behind the one that recorded it. */
export const isExpired = (session: Times, now: number): boolean =>
  !hasEnded(session) && (session.state === "expired" || now >= session.expiresAt);

export const isParticipantExpired = (
  participant: Pick<Participant, "expiresAt">,
  now: number,
): boolean => participant.expiresAt !== null && now >= participant.expiresAt;

export const purgeAt = (session: Times): number =>
  (hasEnded(session) ? (session.endedAt ?? session.expiresAt) : session.expiresAt) +
  session.retentionMs;

/** As it is told to clients. */
export const expiryTime = ({ expiresAt }: Pick<Session, "expiresAt">): string =>
  new Date(expiresAt).toISOString();

/** Past this the session answers as if its storage were already empty. */
export const isPurgeable = (session: Times, now: number): boolean => now >= purgeAt(session);

/** Where use moves the end of a session to, or null where it stays: at most once a day, never closer. */
export function endAfterUse(
  session: Times & Pick<Session, "idleTtlMs">,
  now: number,
): number | null {
  const { idleTtlMs, expiresAt } = session;
  if (idleTtlMs === null || isTerminal(session.state)) return null;
  const end = now + idleTtlMs;
  return end - expiresAt >= IDLE_STEP_MS ? end : null;
}

/** What the alarm has to do now. */
export function dueTask(
  session: Times & Pick<Session, "automation">,
  now: number,
): "purge" | "record_expiry" | "announce_resume" | null {
  if (isPurgeable(session, now)) return "purge";
  if (isExpired(session, now)) return session.state === "expired" ? null : "record_expiry";
  const { resumeAt } = session.automation;
  return resumeAt !== null && now >= resumeAt ? "announce_resume" : null;
}

/** When the alarm next has something to do; `jobs` and `links` are when one of its jobs or links has. */
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
