/**
 * Which key belongs to a server of this machine, as `npm start` wrote it down in the user's config
 * folder: the path of the file that holds the key, by the server's address. A key is only ever sent to
 * the address it was written down for.
 */
import { mkdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText, replaceFile } from "../client-node/atomic-file";
import { withFileLock } from "../client-node/index";

const FILE = "local-servers.json";
const LOCK_WAIT_MS = 5_000;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

type KeyFiles = Readonly<Record<string, string>>;

/** The names of this machine are one: whoever listens on the port answers under all of them. */
function loopbackOrigin(url: string): string | null {
  const { protocol, hostname, port } = new URL(url);
  return LOOPBACK.test(hostname) ? `${protocol}//localhost:${port || "80"}` : null;
}

/** Null where nothing was written down for this address, or its server's folder is gone. */
export async function keyFor(folder: string, url: string): Promise<string | null> {
  const place = loopbackOrigin(url);
  const file = place === null ? undefined : (await readKeyFiles(folder))[place];
  const text = file === undefined ? null : await readText(file).catch(() => null);
  return text === null || text.trim() === "" ? null : text.trim();
}

/** With null it is forgotten. What points to a folder that is gone is forgotten too. */
export async function noteKey(folder: string, url: string, file: string | null): Promise<void> {
  const place = loopbackOrigin(url);
  if (place === null) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE);
  const write = async (): Promise<void> => {
    const others = Object.entries(await readKeyFiles(folder)).filter(
      ([known, kept]) => known !== place && existsSync(kept),
    );
    const files = Object.fromEntries(file === null ? others : [...others, [place, file]]);
    await replaceFile(path, `${JSON.stringify(files, null, 2)}\n`);
  };
  await withFileLock(`${path}.lock`, write, { waitMs: LOCK_WAIT_MS });
}

async function readKeyFiles(folder: string): Promise<KeyFiles> {
  const text = await readText(join(folder, FILE));
  try {
    const files: unknown = JSON.parse(text ?? "{}");
    return typeof files === "object" && files !== null ? (files as KeyFiles) : {};
  } catch {
    return {};
  }
}
