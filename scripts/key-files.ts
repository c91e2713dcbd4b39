/**
 * The keys of a server of one's own, where its operator sets none: drawn once and kept with the data,
 * for its owner alone. Lost, what they sealed cannot be opened and what they signed is no longer
 * vouched for at /.well-known/baton-keys.json.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKey, type KeySetting } from "../src/gateway/keyring.ts";

const FILES: Readonly<Record<KeySetting, string>> = {
  SEALING_KEYS: "sealing-keys.json",
  SIGNING_KEYS: "signing-keys.json",
};

/** The settings as the Worker reads them. What the operator has set is not drawn. */
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
    // The id says when it was drawn, so that whoever rotates can tell which one is older.
    const keys = JSON.stringify([generateKey(new Date().toISOString().slice(0, 10))]);
    writeFileSync(path, `${keys}\n`, { mode: 0o600, flag: "wx" });
    return keys;
  }
}
