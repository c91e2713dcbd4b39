/**
 * What the handlers of one session work with: its id, its stores, its settings and its listeners.
 */
import type { AgentEntry } from "../domain/jobs/agents";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { RequestOrigin } from "../domain/participants/binding";
import type { Result } from "../domain/result";
import type { Settings } from "../domain/settings";
import type { BlobStore } from "../storage/blob-store";
import type { CheckpointStore } from "../storage/checkpoint-store";
import type { CommitRecord } from "../storage/commit-log";
import type { JobStore } from "../storage/job-store";
import type { OnceStore } from "../storage/once-store";
import type { PrivateStore } from "../storage/private-store";
import type { SessionStore } from "../storage/session-store";
import type { Tombstone } from "../storage/tombstone";
import type { UploadStore } from "../storage/upload-store";

export interface SessionContext {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly checkpoints: CheckpointStore;
  readonly uploads: UploadStore;
  readonly blobs: BlobStore;
  readonly jobs: JobStore;
  readonly privates: PrivateStore;
  readonly onces: OnceStore;
  /** Left by a purged session that was created with an Idempotency-Key or an external id. */
  readonly tombstone: () => Tombstone | null;
  readonly settings: () => Settings;
  /**
   * The origin of a request, with the check whether an owner's key is still listed, which only the
   * object can make.
   */
  readonly resolveOrigin: (from: RequestOrigin | undefined) => RequestOrigin;
  /** Does the key with this hash have the right to create sessions now? */
  readonly canCreateSession: (keyHash: string) => boolean;
  readonly agents: () => Result<readonly AgentEntry[]>;
  /** From 0 up to 1: spreads retries over time. */
  readonly random: () => number;
  /** Participants with an open connection. */
  readonly online: () => ReadonlySet<number>;
  /** Notifies listeners. Only `commit` calls it, after the transaction has succeeded. */
  readonly announce: (record: CommitRecord) => void;
}

export const hexOf = ({ id }: Pick<SessionContext, "id">): string => objectIdHexOf(id) ?? "";
