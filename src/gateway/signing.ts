/**
 * Documents that this server signs: an object with `keyId`, whose `signature` is Ed25519 over the RFC 8785
 * JSON of its other members. Made for the answer and kept nowhere.
 */
import { encodeBase64url } from "../domain/base64url";
import { canonicalJson, type JsonObject } from "../domain/json";
import type { Env } from "../env";
import type { ChainEnd, RemovedContent } from "../object/evidence-messages";
import { keyringOf, signWith, type Keyring } from "./keyring";

type SigningEnv = Pick<Env, "SIGNING_KEYS" | "SEALING_KEYS">;

export async function signDocument(ring: Keyring, document: JsonObject): Promise<JsonObject> {
  const members = { ...document, keyId: ring[0].id };
  const { signature } = await signWith(ring, new TextEncoder().encode(canonicalJson(members)));
  return { ...members, signature: encodeBase64url(signature) };
}

/** That the log of this session was, at this time, what the chain says up to that seq. */
export const proofOf = (
  ring: Keyring,
  sessionId: string,
  { seq, chain }: ChainEnd,
  now: number,
): Promise<JsonObject> =>
  signDocument(ring, { sessionId, seq, chain, at: new Date(now).toISOString() });

/** Null where this server has no keys to sign with. */
export async function proofIfSigning(
  env: SigningEnv,
  sessionId: string,
  end: ChainEnd | null,
): Promise<JsonObject | null> {
  const ring = end === null ? null : keyringOf(env, "SIGNING_KEYS");
  return end === null || ring?.ok !== true ? null : proofOf(ring.value, sessionId, end, Date.now());
}

/** That a session was removed, with hashes only. Signed where this server has keys to sign with. */
export async function purgeCertificate(
  env: SigningEnv,
  sessionId: string,
  { end, files, blobs }: RemovedContent,
): Promise<JsonObject> {
  const ring = keyringOf(env, "SIGNING_KEYS");
  const at = new Date().toISOString();
  const document = { sessionId, seq: end.seq, chain: end.chain, files, blobs, purged: true, at };
  return ring.ok ? signDocument(ring.value, document) : document;
}
