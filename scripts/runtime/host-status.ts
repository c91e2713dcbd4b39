/** The machine's resources, for the Worker, which cannot read them itself. */
import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { HostStatus } from "../../src/gateway/host.ts";

/** Summing a large folder takes seconds, so the result is cached. */
const SUM_INTERVAL_MS = 5 * 60_000;

export class Host {
  readonly #folder: string;
  readonly #runtime: () => number | undefined;
  #summed: { readonly at: number; readonly bytes: Promise<number> } | null = null;

  constructor(folder: string, runtime: () => number | undefined) {
    this.#folder = folder;
    this.#runtime = runtime;
  }

  async status(): Promise<HostStatus> {
    const { bavail, bsize } = await statfs(this.#folder);
    return {
      diskFreeBytes: bavail * bsize,
      memoryBytes: process.memoryUsage.rss() + (await residentBytes(this.#runtime())),
    };
  }

  /** The bytes of all files in the data folder, at most some minutes old. */
  dataBytes(now: number): Promise<number> {
    if (this.#summed === null || now - this.#summed.at > SUM_INTERVAL_MS) {
      this.#summed = { at: now, bytes: bytesUnder(this.#folder) };
    }
    return this.#summed.bytes;
  }
}

async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // A file that was removed meanwhile counts as 0.
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(GONE)).size;
  }
  return bytes;
}

const GONE = () => ({ size: 0 });

/** Only Linux has such a file; elsewhere the runtime's memory is omitted. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, "utf8").catch(() => "");
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}
