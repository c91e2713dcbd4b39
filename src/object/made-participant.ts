/** A participant as it is stored once the commit that made it is numbered. */
import { onlyGiven } from "../domain/result";
import type { TokenHash } from "../domain/ids";
import type { Commit } from "../domain/log/commit";
import type { Participant } from "../domain/participants/participant";
import type { MadeParticipant } from "../domain/session/decision";

export const madeParticipant = (
  made: MadeParticipant,
  hash: TokenHash,
  maker: Participant | null,
  { first, last, session }: Commit,
  now: number,
): Participant => ({
  number: made.number,
  actor: made.actor,
  scopes: made.scopes,
  madeBy: maker?.number ?? null,
  note: made.note,
  createdAt: now,
  expiresAt: made.expiresAt,
  tokenSeq: first,
  tokenHash: hash,
  fenceSeq: first,
  seenVersion: session.version,
  cursor: last,
  filled: false,
  last: null,
  ...onlyGiven({ link: made.link, bind: made.bind, ring: made.ring, remindAt: made.remindAt }),
});
