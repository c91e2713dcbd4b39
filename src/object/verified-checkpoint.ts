/** Saves a checkpoint and reads it back: one that differs from what was written is discarded. */
import { createHash } from "node:crypto";
import { checkpointFailedEvent, type NewCheckpoint } from "../domain/checkpoints/checkpoint";
import type { Decision } from "../domain/session/decision";
import { utf8Bytes } from "../domain/json";
import type { CheckpointStore } from "../storage/checkpoint-store";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Thrown inside the transaction, so that an incomplete checkpoint is rolled back. */
export class CheckpointNotVerified extends Error {
  readonly checkpoint: NewCheckpoint;

  constructor(checkpoint: NewCheckpoint) {
    super("a checkpoint could not be verified");
    this.checkpoint = checkpoint;
  }
}

export function saveVerifiedCheckpoint(
  checkpoints: CheckpointStore,
  checkpoint: NewCheckpoint,
): void {
  const { meta } = checkpoint;
  const stored = trySave(checkpoints, checkpoint);
  if (stored === null || utf8Bytes(stored) !== meta.bytes || sha256(stored) !== meta.sha256) {
    throw new CheckpointNotVerified(checkpoint);
  }
}

function trySave(checkpoints: CheckpointStore, checkpoint: NewCheckpoint): string | null {
  try {
    checkpoints.save(checkpoint);
    return checkpoints.body(checkpoint.meta.number);
  } catch {
    return null;
  }
}

/** The same decision without its automatic checkpoint, and with a warning in the log instead. */
export function withoutCheckpoint(decision: Decision, failed: NewCheckpoint): Decision {
  const { checkpoint: _, ...rest } = decision;
  const [, ...events] = rest.events;
  const reason = "the automatic checkpoint could not be verified";
  return { ...rest, events: [checkpointFailedEvent(failed.meta, reason), ...events] };
}
