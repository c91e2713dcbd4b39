/**
 * The protocol of a listener's socket between object and Worker: its request headers, the
 * announcement of a commit, and its close codes. Clients get the same codes.
 */
import type { EndReason } from "./end-reason";
import { LIMITS } from "../limits";

/** Contains the credential in the upgrade request: a hash, never a token. */
export const CREDENTIAL_HEADER = "Baton-Credential";
/** Contains, in the response, the head of the log when listening started. */
export const HEAD_HEADER = "Baton-Head";

/**
 * A commit: its first and last seq, and its lines unless it is too large to be sent to all
 * listeners, or the listener may not see all of it.
 */
export interface Announcement {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[] | null;
}

/** Without a text, the receiver reads the log. */
export const encodeAnnouncement = (first: number, last: number, text: string | null): string =>
  text === null || text.length > LIMITS.announcedLength
    ? `${first} ${last}`
    : `${first} ${last}\n${text}`;

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
  /** Too much was left unread. Continue by replay from the last seq received. */
  too_slow: 4408,
  superseded: 4409,
  expired: 4410,
  gone: 4411,
  /** The request is valid, but cannot be served now. The error sent before the close explains why. */
  refused: 4422,
  /** The server is not configured for it. A retry changes nothing until the operator configures it. */
  not_configured: 1011,
  /** The server restarts. Reconnect at once. */
  restart: 1012,
} as const;

const END_REASONS: ReadonlyMap<number, EndReason> = new Map(
  (["ended", "revoked", "superseded", "expired", "gone"] as const).map((reason) => [
    CLOSE_CODES[reason],
    reason,
  ]),
);

/** The reason that a close code stands for, or null if the connection just broke. */
export const endReasonOfCode = (code: number): EndReason | null => END_REASONS.get(code) ?? null;
