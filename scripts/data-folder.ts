/**
 * The key and the lock of a data folder. The key authenticates object ids and is generated once. The lock
 * prevents two servers on one folder, which would both act as the only authority.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { MIN_FREE_BYTES } from "./start-problem.ts";
import { hasEnded, NOTE } from "./runtime/note.ts";

const SQLITE_BUSY = 5;
/** A runtime whose server was killed ends within this time. One that does not is left alone. */
const RUNTIME_ENDS_MS = 3_000;
const POLL_MS = 20;

interface DataFolder {
  readonly uniqueKey: string;
  release(): void;
}

/** Null if another server, or its remaining runtime, uses the folder. */
export async function openDataFolder(path: string): Promise<DataFolder | null> {
  restrictAccess(path);
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize < MIN_FREE_BYTES) throw Object.assign(new Error("full"), { code: "ENOSPC" });
  const lock = lockedDatabase(join(path, "lock"));
  if (lock === null) return null;
  if (!(await endsSoon(join(path, NOTE)))) {
    lock.close();
    return null;
  }
  return { uniqueKey: readOrCreateKey(join(path, "unique-key")), release: () => lock.close() };
}

/** The lock belongs to the server. Its runtime can still write for a moment after a kill. */
async function endsSoon(note: string): Promise<boolean> {
  const until = Date.now() + RUNTIME_ENDS_MS;
  while (!hasEnded(note)) {
    if (Date.now() > until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * No other user of the machine may read sessions, even if the folder was created with other permissions.
 * Files that the runtime creates later follow the umask of its process.
 */
function restrictAccess(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

/** The system releases this lock when the process ends for any reason, so it never becomes stale. */
function lockedDatabase(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}

/** 0600: a reader of the key can compute ids that this server accepts, but never a token. */
function readOrCreateKey(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    const key = randomBytes(32).toString("hex");
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
    return key;
  }
}
