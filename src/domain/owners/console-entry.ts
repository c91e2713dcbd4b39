/**
 * The setting `CONSOLE_ENTRY`: the hash of a code that opens the console once, the hash of the key
 * it signs in with, and an expiry. `npm start` generates one each time it starts. The code itself
 * is only printed.
 */
import { isTime } from "./owners.ts";

interface ConsoleEntry {
  readonly codeHash: string;
  readonly keyHash: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

const HASH = /^[0-9a-f]{64}$/;

/** Null if the setting is absent or invalid. Then no code opens the console. */
export function parseConsoleEntry(text: string | undefined): ConsoleEntry | null {
  try {
    const entry: unknown = JSON.parse(text ?? "");
    const { codeHash, keyHash, expiresAt } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const isEntry = [codeHash, keyHash].every((hash) => HASH.test(String(hash)));
    return isEntry && isTime(expiresAt)
      ? { codeHash: String(codeHash), keyHash: String(keyHash), expiresAt: Date.parse(expiresAt) }
      : null;
  } catch {
    return null;
  }
}
