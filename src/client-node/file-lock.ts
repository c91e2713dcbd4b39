/**
 * A lock between processes: a file that names its holder. A lock of a killed process is removed
 * under a second, short-lived lock, because two processes that find the same stale lock must not
 * remove each other's new lock.
 */
import { randomUUID } from "node:crypto";
import { link, readFile, stat, unlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreBusyError } from "../client/errors";
import { writeDraft } from "./atomic-file";
import { isAlive, processIdentity } from "./process-identity";

const POLL_MS = 15;
/** The second lock is held only for a few system calls. */
const GUARD_STALE_MS = 5_000;

/** How to wait for the lock. */
export interface LockOptions {
  /** How long to wait for another process before a StoreBusyError. */
  readonly waitMs: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs `work` while no other process of this machine holds the lock. */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { waitMs, signal }: LockOptions,
): Promise<T> {
  const identity = `${processIdentity()} ${randomUUID()}`;
  for (const deadline = Date.now() + waitMs; !(await createLockFile(path, identity)); ) {
    signal?.throwIfAborted();
    const holder = await readHolder(path);
    if (holder !== null && !isAlive(holder)) await removeStaleLock(path, holder);
    else if (Date.now() >= deadline) {
      const [pid = "?"] = (holder ?? "?").split(" ");
      throw new StoreBusyError(
        `Another process (${pid}) works on this saved session and did not finish in ${waitMs} ms.`,
      );
    } else await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/**
 * False if it exists. The file is written first and then linked into place: a lock without its
 * holder's name, left by a process killed in between, could not be told from a valid one.
 */
async function createLockFile(path: string, text: string): Promise<boolean> {
  const draft = await writeDraft(path, text);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

const readHolder = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch(() => null);

async function removeStaleLock(path: string, holder: string): Promise<void> {
  const guard = `${path}.guard`;
  if (!(await createLockFile(guard, "guard"))) {
    const age = await stat(guard).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > GUARD_STALE_MS) await unlink(guard).catch(() => undefined);
    else await sleep(POLL_MS);
    return;
  }
  try {
    if ((await readHolder(path)) === holder) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(guard).catch(() => undefined);
  }
}
