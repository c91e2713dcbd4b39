/**
 * Copies a data folder while its server runs, and restores it. SQLite itself copies each database as of
 * one moment. A plain copy of its files could read them at different moments.
 *
 * Databases are copied at different moments, so the order matters: sessions first, then links and
 * queues, then files. Everything that a copied session needs is then in the copy too. A link or job that
 * refers to a later state is refused by the session.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

const MANIFEST = "backup.json";
const KEY = "unique-key";
/** Files of the running server, or files that are rebuilt from the databases. */
const LEFT_OUT = /^(?:lock$|runtime$|cache\/)|-(?:wal|shm|journal)$/;
const SQLITE_FULL = 13;
const ALL_PAGES = 2 ** 31 - 1;

interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface Manifest {
  readonly takenAt: string;
  readonly files: readonly CopiedFile[];
}

/** A problem with the request, as a message for the user. */
export class BackupError extends Error {}

export async function backUp(data: string, target: string): Promise<Manifest> {
  if (!existsSync(join(data, KEY))) {
    throw new BackupError(
      `${data} is not a data folder: it has no ${KEY}. Name yours with --data.`,
    );
  }
  if (existsSync(target)) throw new BackupError(`${target} exists already. Name a new folder.`);
  // The rename makes the backup visible only when it is complete.
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    const manifest = await copyAll(data, partial);
    renameSync(partial, target);
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    const { code, errcode } = error as { readonly code?: string; readonly errcode?: number };
    if (code !== "ENOSPC" && errcode !== SQLITE_FULL) throw error;
    throw new BackupError(
      `The disk of ${target} is full. Nothing of this backup was kept; the data folder is unchanged.`,
    );
  }
}

async function copyAll(data: string, partial: string): Promise<Manifest> {
  const takenAt = new Date().toISOString();
  const files: CopiedFile[] = [];
  for (const path of inOrder(data)) {
    if (await copyOne(join(data, path), join(partial, path))) files.push(fileEntry(partial, path));
  }
  const manifest: Manifest = { takenAt, files };
  writeFileSync(join(partial, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  syncToDisk(join(partial, MANIFEST));
  return manifest;
}

/** Restores into an empty folder only: data of a server is never overwritten. */
export function restore(source: string, data: string): Manifest {
  const manifest = readManifest(source);
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new BackupError(`${data} is not empty. Move it away, or restore into another folder.`);
  }
  for (const file of manifest.files) {
    const found = existsSync(join(source, file.path)) ? fileEntry(source, file.path) : null;
    if (found?.sha256 !== file.sha256) {
      throw new BackupError(
        `${file.path} in ${source} is missing or damaged. Nothing was restored.`,
      );
    }
  }
  for (const { path } of manifest.files) {
    mkdirSync(dirname(join(data, path)), { recursive: true, mode: 0o700 });
    copyFileSync(join(source, path), join(data, path));
    syncToDisk(join(data, path));
  }
  return manifest;
}

/** The manifest is untrusted: it must not choose paths outside the folder. */
function readManifest(source: string): Manifest {
  const manifest = parseManifest(source);
  for (const { path } of manifest.files) {
    if (
      isInsideFolder(path) &&
      lstatSync(join(source, path), ALLOW_MISSING)?.isSymbolicLink() !== true
    )
      continue;
    throw new BackupError(
      `${MANIFEST} in ${source} names ${JSON.stringify(path)}, which is not a file inside the backup. Nothing was restored.`,
    );
  }
  return manifest;
}

const ALLOW_MISSING = { throwIfNoEntry: false } as const;

function parseManifest(source: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(join(source, MANIFEST), "utf8")) as Manifest;
    if (manifest.files.every(({ path }) => typeof path === "string")) return manifest;
  } catch {
    // A missing file, invalid JSON and a wrong shape get the same message.
  }
  throw new BackupError(`${source} is not a backup: it has no readable ${MANIFEST}.`);
}

/** A plain relative path without `..`, as `inOrder` writes them. */
const isInsideFolder = (path: string): boolean =>
  path !== "" &&
  path === posix.normalize(path) &&
  !posix.isAbsolute(path) &&
  path.split("/").every((part) => part !== ".." && part !== "." && !/[\\:]/.test(part));

const isDatabase = (path: string): boolean => path.endsWith(".sqlite");

function inOrder(data: string): readonly string[] {
  const sessions = `do/${readFileSync(join(data, KEY), "utf8").trim()}/`;
  const rank = (path: string): number => (path.startsWith(sessions) ? 0 : isDatabase(path) ? 1 : 2);
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(data, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !LEFT_OUT.test(path))
    .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** False if the file was purged or removed meanwhile. */
async function copyOne(from: string, to: string): Promise<boolean> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    if (isDatabase(from)) await copyDatabase(from, to);
    else copyFileSync(from, to);
  } catch (error) {
    if (existsSync(from)) throw error;
    return false;
  }
  syncToDisk(to);
  return true;
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    // In one step, because concurrent writes would restart the copy.
    await backup(database, to, { rate: ALL_PAGES });
  } finally {
    database.close();
  }
}

function fileEntry(folder: string, path: string): CopiedFile {
  const bytes = readFileSync(join(folder, path));
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Flushes the file to disk and restricts it to its owner: a copy keeps the original permissions. */
function syncToDisk(path: string): void {
  chmodSync(path, 0o600);
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}
