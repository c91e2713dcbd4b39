/** A session and a participant as a create would make them, for tests to vary. */
import { numberEvents } from "../../../src/domain/log/commit";
import { decideCreate } from "../../../src/domain/session/create";
import type { CreateArguments } from "../../../src/domain/session/command";
import type { Commit } from "../../../src/domain/log/commit";
import type { TokenHash } from "../../../src/domain/ids";
import type { Participant } from "../../../src/domain/participants/participant";
import type { Session } from "../../../src/domain/session/session";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings";

/** For rules without private values. */
export const NO_PRIVATE_VALUES = {
  salt: () => "salt",
  digest: (text: string) => text,
  privateValues: () => [],
};

export const NOW = Date.UTC(2026, 2, 1);
export const TTL_MS = 60_000;

export function createCommit(args: CreateArguments = {}): Commit {
  const hash = "hash of the first" as TokenHash;
  const decided = decideCreate(
    { ttlMs: TTL_MS, ...args },
    hash,
    NOW,
    DEFAULT_SETTINGS,
    NO_PRIVATE_VALUES,
  );
  if (!decided.ok) throw new Error(`create was refused: ${decided.error.code}`);
  return numberEvents(
    null,
    0,
    decided.value.events,
    { actor: decided.value.actor, number: 1 },
    NOW,
  );
}

export const sessionWith = (changes: Partial<Session> = {}): Session => ({
  ...createCommit().session,
  ...changes,
});

export const participantWith = (changes: Partial<Participant> = {}): Participant => ({
  number: 1,
  actor: { kind: "agent", id: "agent" },
  scopes: ["view", "append", "fill", "review", "handoff", "own"],
  madeBy: null,
  note: null,
  createdAt: NOW,
  expiresAt: null,
  tokenSeq: 1,
  tokenHash: "hash of the newest" as TokenHash,
  fenceSeq: 1,
  seenVersion: 1,
  cursor: 1,
  filled: false,
  last: null,
  ...changes,
});
