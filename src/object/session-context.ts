/** What every handler of one session works with: its rows, its name, and who hears of its commits. */
import type { AgentEntry } from "../domain/jobs/agents";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import type { RequestOrigin } from "../domain/participants/binding";
import type { Result } from "../domain/result";
import type { Settings } from "../domain/settings";
import type { BlobStore } from "../storage/blob-store";
import type { CheckpointStore } from "../storage/checkpoint-store";
import type { CommitRecord } from "../storage/commit-log";
import type { JobStore } from "../storage/job-store";
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
  /** A session that a key named was here and is gone. */
  readonly tombstone: () => Tombstone | null;
  readonly settings: () => Settings;
  /** Where a request comes from, with what is known only here: which keys of owners are listed now. */
  readonly resolveOrigin: (from: RequestOrigin | undefined) => RequestOrigin;
  /** Has the key with this hash the right to begin sessions now? */
  readonly canCreateSession: (keyHash: string) => boolean;
  readonly agents: () => Result<readonly AgentEntry[]>;
  /** From 0 up to 1: what spreads those who wait. */
  readonly random: () => number;
  /** Participants with an open connection. */
  readonly online: () => ReadonlySet<number>;
  /** Tells those who listen. Called by `commit` alone, once the transaction has succeeded. */
  readonly announce: (record: CommitRecord) => void;
}

export const hexOf = ({ id }: Pick<SessionContext, "id">): string => objectIdHexOf(id) ?? "";
