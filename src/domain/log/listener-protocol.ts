/**
 * What is said on a listener's socket between object and Worker: how it is asked for, the news of a
 * commit, and the codes it closes with, which are the same towards clients.
 */
import type { EndReason } from "./end-reason";
import { LIMITS } from "../limits";

/** Names the credential in the upgrade request; it carries a hash, never a token. */
export const CREDENTIAL_HEADER = "Baton-Credential";
/** Says in the answer where the log ended when listening began. */
export const HEAD_HEADER = "Baton-Head";

/** A commit: its numbers, and its events as lines unless it is too large to be sent to everybody. */
export interface Announcement {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[] | null;
}

export const encodeAnnouncement = (first: number, last: number, text: string): string =>
  text.length > LIMITS.announcedLength ? `${first} ${last}` : `${first} ${last}\n${text}`;

export function decodeAnnouncement(message: string): Announcement {
  const [numbers = "", ...lines] = message.split("\n");
  const [first, last] = numbers.split(" ").map(Number);
  return { first: first ?? 0, last: last ?? 0, lines: lines.length === 0 ? null : lines };
}

export const CLOSE_CODES = {
  /** The session ended: finalized, rejected or cancelled. */
  ended: 4200,
  protocol_error: 4400,
  revoked: 4403,
  /** Too much was left unread; continue by replay from the last seq seen. */
  too_slow: 4408,
  superseded: 4409,
  expired: 4410,
  gone: 4411,
  /** What was asked for is well said and cannot be had as things are; the error before it says why. */
  refused: 4422,
  /** The server is not set up for it: asking again changes nothing until its operator does. */
  not_configured: 1011,
  /** The server goes away for a moment; come back at once. */
  restart: 1012,
} as const;

const END_REASONS: ReadonlyMap<number, EndReason> = new Map(
  (["ended", "revoked", "superseded", "expired", "gone"] as const).map((ending) => [
    CLOSE_CODES[ending],
    ending,
  ]),
);

/** The ending that a code stands for, or null for a connection that merely broke. */
export const endReasonOfCode = (code: number): EndReason | null => END_REASONS.get(code) ?? null;
