/** Keys of owners, and the setting that lists their hashes. */
import { createHash } from "node:crypto";

export const newKey = (): string =>
  `bkey_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`;

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");

const ALL_RIGHTS = ["create", "read", "open", "manage"] as const;

export const keyEntry = (key: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name: `key-${sha256Hex(key).slice(0, 8)}`,
  keyHash: sha256Hex(key),
  rights: ALL_RIGHTS,
  ...more,
});

/** The OWNERS setting: each owner's name with its keys, which have every right. */
export const ownersText = (keys: Readonly<Record<string, readonly string[]>>): string =>
  JSON.stringify(
    Object.entries(keys).map(([name, list]) => ({ name, keys: list.map((key) => keyEntry(key)) })),
  );
