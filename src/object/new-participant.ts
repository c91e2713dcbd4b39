/** A participant as it is stored once the commit that creates it is numbered. */
import type { TokenHash } from "../domain/ids";
import type { Commit } from "../domain/log/commit";
import type { Participant } from "../domain/participants/participant";
import type { NewParticipant } from "../domain/session/decision";

export const newParticipant = (
  created: NewParticipant,
  hash: TokenHash,
  creator: Participant | null,
  { first, last, session }: Commit,
  now: number,
): Participant => ({
  ...created,
  madeBy: creator?.number ?? null,
  createdAt: now,
  tokenSeq: first,
  tokenHash: hash,
  fenceSeq: first,
  seenVersion: session.version,
  cursor: last,
  filled: false,
  last: null,
});
