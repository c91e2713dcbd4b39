/**
 * The keys that an operator configures: `SEALING_KEYS` encrypt what the server must read again,
 * `SIGNING_KEYS` sign what others verify on their own. The first key of a list seals or signs; all of
 * them open or verify, so a key is replaced by putting a new one before it. No key, and nothing derived
 * from one, ever reaches an object, a log or a response.
 *
 * Imports name their files in full, so that scripts can check settings with this file as it is.
 */
import { decodeBase64url, encodeBase64url } from "../domain/base64url.ts";
import type { Failure } from "../domain/failure";
import type { Result } from "../domain/result";
import type { Env } from "../env";

export type KeySetting = "SEALING_KEYS" | "SIGNING_KEYS";

interface Key {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Newest first. */
export type Keyring = readonly [Key, ...Key[]];

/** An AES-256 key, or the seed of an Ed25519 key (RFC 8032 calls it the private key). */
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Far more than a rotation needs; the list is parsed for each request that uses it. */
const MAX_KEYS = 16;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const FORMAT = 1;
/** The part of a PKCS #8 Ed25519 private key (RFC 8410) before its seed. */
const PKCS8_PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32);
const encoder = new TextEncoder();

/** Parses a setting. An error never repeats a part of a key. */
export function parseKeys(setting: KeySetting, text: string): Result<Keyring, string> {
  const problem = (what: string): Result<never, string> => ({
    ok: false,
    error: `${setting} ${what}. Write [{"id": "2026-11", "key": "<32 bytes in base64url>"}].`,
  });
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return problem("is not valid JSON");
  }
  if (!Array.isArray(list) || list.length === 0) return problem("must be a list of keys");
  if (list.length > MAX_KEYS) return problem(`has more than ${MAX_KEYS} keys`);
  const keys: Key[] = [];
  for (const [index, entry] of (list as readonly unknown[]).entries()) {
    const { id, key } = (entry ?? {}) as { readonly id?: unknown; readonly key?: unknown };
    if (typeof id !== "string" || !KEY_ID.test(id)) {
      return problem(`entry ${index + 1} needs an id of 1 to 64 letters, digits, ".", "_" or "-"`);
    }
    if (keys.some((other) => other.id === id)) return problem(`names the id ${id} twice`);
    const bytes = typeof key === "string" ? decodeBase64url(key) : null;
    if (bytes?.length !== KEY_BYTES) {
      return problem(
        `key ${id} is not ${KEY_BYTES} bytes in base64url (43 characters, no padding)`,
      );
    }
    keys.push({ id, bytes: new Uint8Array(bytes) });
  }
  return { ok: true, value: keys as unknown as Keyring };
}

/** The keyring of this deployment. Without it, what needs it is `not_configured`. */
export function keyringOf(
  env: Pick<Env, KeySetting>,
  setting: KeySetting,
): Result<Keyring, Failure & { readonly code: "not_configured" }> {
  const text = env[setting] ?? "";
  const parsed = text === "" ? null : parseKeys(setting, text);
  if (parsed?.ok === true) return parsed;
  const detail = parsed === null ? `${setting} is not set.` : parsed.error;
  return { ok: false, error: { code: "not_configured", setting, detail } };
}

/**
 * Encrypts under the first key. `purpose` is bound to the result: bytes sealed for one purpose (such as
 * "endpoint-url:end_7") do not open for another, so rows cannot be swapped.
 */
export async function sealUnder(
  [{ id, bytes }]: Keyring,
  purpose: string,
  plain: Uint8Array,
): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(purpose) };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plain));
  const name = encoder.encode(id);
  return Uint8Array.of(FORMAT, name.length, ...name, ...iv, ...sealed);
}

const keyIdIn = (sealed: Uint8Array): string =>
  new TextDecoder().decode(sealed.slice(2, 2 + (sealed[1] ?? 0)));

/** Sealed under the current key? */
export const isSealedUnderFirst = ([{ id }]: Keyring, sealed: Uint8Array): boolean =>
  keyIdIn(sealed) === id;

/**
 * The plain bytes; null if they were altered or sealed for another purpose, or if their key is not
 * listed.
 */
export async function openUnder(
  keyring: Keyring,
  purpose: string,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  const [format, length = 0] = sealed;
  const id = keyIdIn(sealed);
  const found = keyring.find((key) => key.id === id);
  if (format !== FORMAT || found === undefined) return null;
  const iv = sealed.slice(2 + length, 2 + length + IV_BYTES);
  const key = await crypto.subtle.importKey("raw", found.bytes, "AES-GCM", false, ["decrypt"]);
  const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(purpose) };
  try {
    const body = sealed.slice(2 + length + IV_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, body));
  } catch {
    return null;
  }
}

/** An Ed25519 signature by the first key, and that key's id. */
export async function signWith(
  [{ id, bytes }]: Keyring,
  message: Uint8Array,
): Promise<{ readonly keyId: string; readonly signature: Uint8Array }> {
  const key = await importSeed(bytes, false);
  return {
    keyId: id,
    signature: new Uint8Array(await crypto.subtle.sign("Ed25519", key, message)),
  };
}

interface PublicKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly kid: string;
  readonly x: string;
}

/** The public halves, as a JSON Web Key Set (RFC 7517, RFC 8037). */
export const publicKeys = (keyring: Keyring): Promise<readonly PublicKey[]> =>
  Promise.all(keyring.map(publicJwk));

async function publicJwk({ id, bytes }: Key): Promise<PublicKey> {
  const { x = "" } = (await crypto.subtle.exportKey(
    "jwk",
    await importSeed(bytes, true),
  )) as JsonWebKey;
  return { kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig", kid: id, x };
}

const importSeed = (seed: Uint8Array, extractable: boolean): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "pkcs8",
    Uint8Array.of(...PKCS8_PREFIX, ...seed),
    "Ed25519",
    extractable,
    ["sign"],
  );

/** A new key in the form of the setting. */
export const generateKey = (id: string): { readonly id: string; readonly key: string } => ({
  id,
  key: encodeBase64url(crypto.getRandomValues(new Uint8Array(KEY_BYTES))),
});
