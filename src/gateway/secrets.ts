/**
 * Hashes and seals secrets in the Worker, so that the object never holds one. Secrets are 192 uniform
 * random bits, so one SHA-256 with a separate label per use is a sound derivation; a slow hash would not
 * protect more. The hash is computed synchronously in JavaScript: for so few bytes, waiting for the
 * platform's hash takes longer.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../domain/base64url";
import type { LinkCode } from "../domain/links/link-code";
import type { RequestHash, TokenHash } from "../domain/ids";
import { canonicalJson } from "../domain/json";
import { SECRET_BYTES } from "./token";

const IV_BYTES = 12;
const HASH_BYTES = 32;
const encoder = new TextEncoder();

const LABELS = {
  token: encoder.encode("baton/token-hash/v1\0"),
  seal: encoder.encode("baton/seal-key/v1\0"),
  request: encoder.encode("baton/request/v1\0"),
  createName: encoder.encode("baton/create-name/v1\0"),
  linkCode: encoder.encode("baton/link-code/v1\0"),
  linkCookie: encoder.encode("baton/link-cookie/v1\0"),
  address: encoder.encode("baton/address/v1\0"),
  appendKey: encoder.encode("baton/append-key/v1\0"),
  bearer: encoder.encode("baton/bearer/v1\0"),
  ownerBearer: encoder.encode("baton/owner-bearer/v1\0"),
  principal: encoder.encode("baton/principal/v1\0"),
  proxied: encoder.encode("baton/proxied-principal/v1\0"),
  externalName: encoder.encode("baton/external-name/v1\0"),
  subscription: encoder.encode("baton/subscription/v1\0"),
  subscribed: encoder.encode("baton/subscribed/v1\0"),
  creatorName: encoder.encode("baton/creator-name/v1\0"),
} as const;

const hashText = (label: keyof typeof LABELS, text: string): string =>
  encodeBase64url(digest(LABELS[label], encoder.encode(text)));

export const generateSecret = (): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(SECRET_BYTES));

export const hashSecret = (secret: Uint8Array): TokenHash =>
  encodeBase64url(digest(LABELS.token, secret)) as TokenHash;

/** Identifies a request: operation, canonical arguments, If-Match and key. */
export const hashRequest = (
  operation: string,
  args: unknown,
  ifMatch: number | null,
  key: string,
): RequestHash =>
  hashText("request", canonicalJson([operation, args, ifMatch, key])) as RequestHash;

/** The name of the object that an Idempotency-Key creates. The key itself is not stored. */
export const hashCreateKey = (key: string, creator: string | null): string =>
  creator === null
    ? hashText("createName", key)
    : hashText("creatorName", JSON.stringify([creator, key]));

/** The name of the object for the n-th session with this externalId. */
export const hashExternalId = (owner: string, externalId: string, nth: number): string =>
  hashText("externalName", JSON.stringify([owner, externalId, nth]));

/** Identifies a subscription: the same for the same owner, address, event and arguments. */
export const hashSubscription = (owner: string, url: string, event: string, args: object): string =>
  hashText("subscription", canonicalJson([owner, url, event, args]));

/** The hash of a subscription's address or secret, to recognize it when it is sent again. */
export const hashSubscribed = (what: string | Uint8Array): string =>
  encodeBase64url(
    digest(LABELS.subscribed, typeof what === "string" ? encoder.encode(what) : what),
  );

export const hashAppendKey = (key: string): string => hashText("appendKey", key);

/** The form in which a link's code is stored and found. */
export const hashLinkCode = (code: LinkCode): string => hashText("linkCode", code);

/** With its own label, so that a cookie's secret is not valid as a token's. */
export const hashCookieSecret = (secret: Uint8Array): TokenHash =>
  encodeBase64url(digest(LABELS.linkCookie, secret)) as TokenHash;

export const hashAddress = (address: string): string => hashText("address", address);

/** The hash of a foreign bearer, which is all that a connection remembers of it. */
export const hashBearer = (bearer: string): Uint8Array =>
  digest(LABELS.bearer, encoder.encode(bearer));

/** Identifies every key of an owner: a key that replaces another can resume the same sessions. */
export const hashOwnerBearer = (owner: string): Uint8Array =>
  digest(LABELS.ownerBearer, encoder.encode(owner));

/** Identifies a session's creator. It differs per session, even for the same bearer. */
export const hashPrincipal = (bearer: Uint8Array, objectIdHex: string): string =>
  encodeBase64url(digest(LABELS.principal, concat(bearer, encoder.encode(objectIdHex))));

/**
 * The hash of a principal that a proxy names. It is the same in every session, so that a fork can
 * inherit it.
 */
export const hashProxiedPrincipal = (name: string): string => hashText("proxied", name);

/** Encrypts secrets so that only the holder of `material` can read them again. */
export async function seal(
  material: Uint8Array,
  secrets: readonly Uint8Array[],
): Promise<Uint8Array> {
  const plain = concat(...secrets);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await sealingKey(material, "encrypt");
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plain);
  return concat(iv, new Uint8Array(sealed));
}

/** The secrets that were sealed, in their order. */
export async function unseal(
  material: Uint8Array,
  sealed: Uint8Array,
): Promise<readonly Uint8Array[]> {
  const key = await sealingKey(material, "decrypt");
  const iv = sealed.slice(0, IV_BYTES);
  const body = sealed.slice(IV_BYTES);
  const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, body));
  const secrets: Uint8Array[] = [];
  for (let at = 0; at < plain.length; at += SECRET_BYTES) {
    secrets.push(plain.slice(at, at + SECRET_BYTES));
  }
  return secrets;
}

function sealingKey(material: Uint8Array, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", digest(LABELS.seal, material), "AES-GCM", false, [use]);
}

/** A hash state per label, and the one that they are copied into. */
const labelledHashes = new Map<Uint8Array, ReturnType<typeof sha256.create>>();
const scratch = sha256.create();

/** SHA-256 of label and data. A new hash allocates five small buffers, so one is reused and wiped. */
function digest(label: Uint8Array, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const base = labelledHashes.get(label) ?? sha256.create().update(label);
  labelledHashes.set(label, base);
  const hashed = new Uint8Array(HASH_BYTES);
  // oxlint-disable-next-line no-underscore-dangle -- the library has no other name for it
  base._cloneInto(scratch).update(data).digestInto(hashed);
  scratch.destroy();
  return hashed;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
