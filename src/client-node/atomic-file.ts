/** Writes files atomically through drafts, and removes drafts that killed processes left. */
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive, processIdentity } from "./process-identity";

const SUFFIX = ".draft";
/** For a draft that does not name its writer: no write takes this long. */
const STALE_AFTER_MS = 60_000;

/**
 * Writes the text to a new file in the same folder, flushed to disk and readable only by its owner.
 * Returns its path.
 */
export async function writeDraft(path: string, text: string): Promise<string> {
  const draft = join(dirname(path), `.${processIdentity()} ${randomUUID()}${SUFFIX}`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Readers see the old text or the new one, even after a crash of the machine. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeDraft(path, text), path);
}

export const readText = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch(ignoreMissing);

/** Removes drafts of killed writers, which may contain a token. Drafts of running writers stay. */
export async function removeStaleDrafts(folder: string): Promise<void> {
  const files = (await readdir(folder).catch(ignoreMissing)) ?? [];
  for (const file of files.filter((name) => name.endsWith(SUFFIX))) {
    const path = join(folder, file);
    if (await isStale(file.slice(1), path)) await unlink(path).catch(ignoreMissing);
  }
}

async function isStale(writer: string, path: string): Promise<boolean> {
  if (writer.includes(" ")) return !isAlive(writer);
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > STALE_AFTER_MS;
}

export function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
