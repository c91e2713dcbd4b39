/**
 * The keys of a self-hosted server whose operator sets none. They are generated once and stored with the
 * data, readable by its owner only. If they are lost, sealed data cannot be opened and earlier signatures
 * can no longer be verified with /.well-known/baton-keys.json.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKey, type KeySetting } from "../src/gateway/keyring.ts";

const FILES: Readonly<Record<KeySetting, string>> = {
  SEALING_KEYS: "sealing-keys.json",
  SIGNING_KEYS: "signing-keys.json",
};

/** The settings as the Worker reads them. A key that the operator has set is not generated. */
export function storedKeys(
  dataFolder: string,
  set: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(FILES)
      .filter(([setting]) => set[setting] === undefined)
      .map(([setting, file]) => [setting, readOrGenerate(join(dataFolder, file))]),
  );
}

function readOrGenerate(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The id contains the creation time, so that an operator who rotates keys knows which one is older.
    const keys = JSON.stringify([generateKey(new Date().toISOString().slice(0, 10))]);
    writeFileSync(path, `${keys}\n`, { mode: 0o600, flag: "wx" });
    return keys;
  }
}
