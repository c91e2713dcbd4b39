/**
 * Saved sessions, one file each in a folder: readable only by their owner, replaced atomically,
 * flushed to disk before the request is sent, used by one process at a time.
 */
import { mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../client/errors";
import { readSaved, Turns, type SavedSession, type TokenStore } from "../client/token-store";
import { ignoreMissing, readText, replaceFile, removeStaleDrafts } from "./atomic-file";
import { withFileLock } from "./file-lock";

/** Options of the store. */
export interface FileTokenStoreOptions {
  /** How long to wait while another process works on the same session. Default one minute. */
  readonly lockWaitMs?: number;
}

const SUFFIX = ".json";
const LOCK_WAIT_MS = 60_000;
const MAX_NAME_LENGTH = 200;

/**
 * Stores each session in its own file with mode 0600, replaced atomically, with a lock between
 * processes.
 */
export class FileTokenStore implements TokenStore {
  /** The folder of the files. */
  readonly folder: string;
  readonly #turns = new Turns();
  readonly #lockWaitMs: number;
  #hasRemovedDrafts = false;

  constructor(folder: string, options: FileTokenStoreOptions = {}) {
    this.folder = folder;
    this.#lockWaitMs = options.lockWaitMs ?? LOCK_WAIT_MS;
  }

  /** What is saved under this name. */
  async load(name: string): Promise<SavedSession | null> {
    const text = await readText(this.#path(name));
    return text === null ? null : readSaved(text, name);
  }

  /** Saves it; returns only after it is on the disk. */
  async save(name: string, saved: SavedSession): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await replaceFile(this.#path(name), `${JSON.stringify(saved)}\n`);
  }

  /** Removes it. */
  async remove(name: string): Promise<void> {
    await unlink(this.#path(name)).catch(ignoreMissing);
  }

  /** All names. */
  async list(): Promise<readonly string[]> {
    const files = await readdir(this.folder).catch(ignoreMissing);
    return (files ?? [])
      .filter((file) => file.endsWith(SUFFIX) && !file.startsWith("."))
      .map((file) => decodeURIComponent(file.slice(0, -SUFFIX.length)))
      .sort();
  }

  /** Runs `work` while no other process does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const locked = async (): Promise<T> => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      if (!this.#hasRemovedDrafts) await removeStaleDrafts(this.folder);
      this.#hasRemovedDrafts = true;
      return withFileLock(`${this.#path(name)}.lock`, work, { waitMs: this.#lockWaitMs, signal });
    };
    return this.#turns.take(name, locked, signal);
  }

  #path(name: string): string {
    // Encoded, so that no name can leave the folder. A leading dot would hide the file.
    const file = encodeURIComponent(name).replace(/^\./, "%2E");
    if (file === "" || file.length > MAX_NAME_LENGTH) {
      throw new StoreError("A name must have 1 to 200 characters when it is encoded for a file.");
    }
    return join(this.folder, file + SUFFIX);
  }
}
