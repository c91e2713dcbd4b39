/** Files that become visible whole or not at all, and what killed writers leave of them. */
import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive, processIdentity } from "./process-identity";

const SUFFIX = ".draft";
/** A draft that does not name its writer: no writer takes that long. */
const STALE_AFTER_MS = 60_000;

/** The path of a file beside `path` that holds the text, on the disk, for its owner only. */
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

/** Whoever reads sees the old text or the new one, also after a crash of the machine. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeDraft(path, text), path);
}

export const readText = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch(ignoreMissing);

/** Removes what killed writers left, which may hold a token. A draft of a living one stays. */
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
