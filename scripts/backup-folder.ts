/**
 * A data folder copied while its server runs, and put back. Each database is copied whole by SQLite
 * itself, as it is at one moment; a plain copy of its files could catch it between two of them.
 *
 * Databases are copied at different moments, so the order matters: sessions first, then what leads to
 * them (links, queues), then files. Whatever a copied session counts on is then in the copy too; what
 * leads to a later state leads to a session that says no.
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
/** Of the running server, or made again from the databases. */
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

/** What is wrong with what was asked for, in words for whoever asked. */
export class BackupError extends Error {}

export async function backUp(data: string, target: string): Promise<Manifest> {
  if (!existsSync(join(data, KEY))) {
    throw new BackupError(
      `${data} is not a data folder: it has no ${KEY}. Name yours with --data.`,
    );
  }
  if (existsSync(target)) throw new BackupError(`${target} exists already. Name a new folder.`);
  // Under its name it is either whole or not there.
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

/** Into a folder that holds nothing yet: what a server wrote since is never overwritten. */
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

/** A manifest is a file like any other: whoever can write it must not choose where files are put. */
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
    // Missing, not JSON, or of another shape: the same to whoever asked.
  }
  throw new BackupError(`${source} is not a backup: it has no readable ${MANIFEST}.`);
}

/** A plain path downwards, as `inOrder` writes them. */
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

/** False where it is gone meanwhile: purged, or a file that was removed. */
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
    // In one step, so that writes in between do not make it begin again.
    await backup(database, to, { rate: ALL_PAGES });
  } finally {
    database.close();
  }
}

function fileEntry(folder: string, path: string): CopiedFile {
  const bytes = readFileSync(join(folder, path));
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** On the disk, and for its owner alone: a copy of a file keeps the rights it had. */
function syncToDisk(path: string): void {
  chmodSync(path, 0o600);
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}
