/**
 * The setting `CONSOLE_ENTRY`: the hash of a code that signs in to the console once, the hash of the
 * owner's key that the code signs in with, and an expiry. `npm start` generates one each time it
 * starts. It prints the code and never stores it.
 */
import { isTime } from "./owners.ts";

interface ConsoleSignInCode {
  readonly codeHash: string;
  readonly keyHash: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

const HASH = /^[0-9a-f]{64}$/;

/** Null if the setting is absent or invalid. Then no code signs in to the console. */
export function parseConsoleEntry(text: string | undefined): ConsoleSignInCode | null {
  try {
    const entry: unknown = JSON.parse(text ?? "");
    const { codeHash, keyHash, expiresAt } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const hasValidHashes = [codeHash, keyHash].every((hash) => HASH.test(String(hash)));
    return hasValidHashes && isTime(expiresAt)
      ? { codeHash: String(codeHash), keyHash: String(keyHash), expiresAt: Date.parse(expiresAt) }
      : null;
  } catch {
    return null;
  }
}
