/** What a page of the log says beside its events: where the log is, and how long it may be read. */
import type { Participant } from "../domain/participants/participant";
import { expiryTime, purgeAt } from "../domain/session/expiry";
import type { Session } from "../domain/session/session";
import { isTerminal } from "../domain/session/state";
import type { Page } from "./messages";

type Place = Pick<Page, "head" | "ended" | "validUntil" | "ownEnd" | "expiresAt">;

export function placeOf(session: Session, { expiresAt }: Participant, head: number): Place {
  const ended = isTerminal(session.state);
  const ownEnd = expiresAt ?? Infinity;
  // An ended session no longer expires, but one day it is gone.
  const validUntil = Math.min(ended ? purgeAt(session) : session.expiresAt, ownEnd);
  return { head, ended, validUntil, ownEnd, expiresAt: expiryTime(session) };
}
