/**
 * Finds the key of a server on this machine, as `npm start` recorded it in the user's config
 * folder: the path of the key file, by the server's address. A key is only sent to the address it
 * was recorded for.
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

/** All loopback names are one address, because the same server listens on all of them. */
function loopbackOrigin(url: string): string | null {
  const { protocol, hostname, port } = new URL(url);
  return LOOPBACK.test(hostname) ? `${protocol}//localhost:${port || "80"}` : null;
}

/** Null if nothing was recorded for this address, or if the server's folder is gone. */
export async function keyFor(folder: string, url: string): Promise<string | null> {
  const origin = loopbackOrigin(url);
  const file = origin === null ? undefined : (await readKeyFiles(folder))[origin];
  const text = file === undefined ? null : await readText(file).catch(() => null);
  return text === null || text.trim() === "" ? null : text.trim();
}

/**
 * Records the key file; null removes the record. Records of folders that are gone are removed too.
 */
export async function noteKey(folder: string, url: string, file: string | null): Promise<void> {
  const origin = loopbackOrigin(url);
  if (origin === null) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE);
  const write = async (): Promise<void> => {
    const others = Object.entries(await readKeyFiles(folder)).filter(
      ([other, keyFile]) => other !== origin && existsSync(keyFile),
    );
    const files = Object.fromEntries(file === null ? others : [...others, [origin, file]]);
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
