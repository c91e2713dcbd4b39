/**
 * Signs documents: an object with `keyId`, whose `signature` is Ed25519 over the RFC 8785 JSON of its
 * other members. They are created for the response and not stored.
 */
import { encodeBase64url } from "../domain/base64url";
import { canonicalJson, type JsonObject } from "../domain/json";
import type { Env } from "../env";
import type { ChainEnd, RemovedContent } from "../object/evidence-messages";
import { keyringOf, signWith, type Keyring } from "./keyring";

type SigningEnv = Pick<Env, "SIGNING_KEYS" | "SEALING_KEYS">;

export async function signDocument(keyring: Keyring, document: JsonObject): Promise<JsonObject> {
  const members = { ...document, keyId: keyring[0].id };
  const { signature } = await signWith(keyring, new TextEncoder().encode(canonicalJson(members)));
  return { ...members, signature: encodeBase64url(signature) };
}

/** Proves the log's chain up to that seq at this time. */
export const proofOf = (
  keyring: Keyring,
  sessionId: string,
  { seq, chain }: ChainEnd,
  now: number,
): Promise<JsonObject> =>
  signDocument(keyring, { sessionId, seq, chain, at: new Date(now).toISOString() });

/** Null if this server has no keys to sign with. */
export async function proofIfSigning(
  env: SigningEnv,
  sessionId: string,
  end: ChainEnd | null,
): Promise<JsonObject | null> {
  const keyring = end === null ? null : keyringOf(env, "SIGNING_KEYS");
  return end === null || keyring?.ok !== true
    ? null
    : proofOf(keyring.value, sessionId, end, Date.now());
}

/**
 * Certifies that a session was removed, with hashes only. It is signed if this server has keys to sign
 * with.
 */
export async function purgeCertificate(
  env: SigningEnv,
  sessionId: string,
  { end, files, blobs }: RemovedContent,
): Promise<JsonObject> {
  const keyring = keyringOf(env, "SIGNING_KEYS");
  const at = new Date().toISOString();
  const document = { sessionId, seq: end.seq, chain: end.chain, files, blobs, purged: true, at };
  return keyring.ok ? signDocument(keyring.value, document) : document;
}
