/**
 * The owner `local` of a self-hosted server whose operator lists no owners: one key with every right,
 * generated once and stored with the data, readable by its owner only, and a one-time code for the
 * console. The server gets hashes only.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_PREFIX, LOCAL_OWNER } from "../src/domain/owners/owners.ts";

const FILE = "local-key";
const KEY_BYTES = 32;
const CODE_BYTES = 24;
/** Long enough to use the printed link. A terminal that stays open shows no valid code later. */
const CODE_MINUTES = 15;

export interface LocalOwner {
  readonly settings: { readonly OWNERS: string; readonly CONSOLE_ENTRY: string };
  readonly keyFile: string;
  /** The code of the one-time link to the console. */
  readonly code: string;
  readonly minutes: number;
}

export function createLocalOwner(dataFolder: string, now: number): LocalOwner {
  const keyFile = join(dataFolder, FILE);
  const keyHash = sha256(readOrGenerate(keyFile));
  const code = randomBytes(CODE_BYTES).toString("base64url");
  const expiresAt = new Date(now + CODE_MINUTES * 60_000).toISOString();
  const keys = [{ name: FILE, keyHash, rights: ["create", "read", "open", "manage"] }];
  return {
    settings: {
      OWNERS: JSON.stringify([{ name: LOCAL_OWNER, keys }]),
      CONSOLE_ENTRY: JSON.stringify({ codeHash: sha256(code), keyHash, expiresAt }),
    },
    keyFile,
    code,
    minutes: CODE_MINUTES,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function readOrGenerate(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString("base64url");
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
    return key;
  }
}
