/**
 * Checks signatures of a server. The `signature` of a signed object is Ed25519, in base64url, over the
 * RFC 8785 JSON of its other members; `keyId` is one of them. This file must never call a server.
 */
import { decodeBase64url } from "../domain/base64url";
import { canonicalJson } from "../domain/json";

/** A public key of a JSON Web Key Set, as /.well-known/baton-keys.json lists it. */
export interface VerificationKey {
  /** The kind of key, `OKP`. */
  readonly kty: string;
  /** The curve, `Ed25519`. */
  readonly crv?: string;
  /** Its id. */
  readonly kid?: string;
  /** The public key, base64url. */
  readonly x?: string;
}

export interface SignedObject {
  readonly keyId: string;
  readonly signature: string;
  readonly [member: string]: unknown;
}

export const isSigned = (value: unknown): value is SignedObject =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as SignedObject).keyId === "string" &&
  typeof (value as SignedObject).signature === "string";

/** What is wrong with the signature, or null. */
export async function signatureProblem(
  { signature, ...signed }: SignedObject,
  keys: readonly VerificationKey[],
): Promise<string | null> {
  const [jwk, ...more] = keys.filter(({ kid }) => kid === signed.keyId);
  if (more.length > 0) return `the key ${signed.keyId} is listed twice`;
  if (jwk?.x === undefined) return `it is signed with the key ${signed.keyId}, which is not listed`;
  // Decoding is strict, so that no other spelling of the same bytes passes.
  const bytes = decodeBase64url(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return "its signature is malformed";
  const key = await crypto.subtle.importKey(
    "jwk",
    { kty: "OKP", crv: "Ed25519", x: jwk.x },
    "Ed25519",
    false,
    ["verify"],
  );
  const message = new TextEncoder().encode(canonicalJson(signed));
  const isRight = await crypto.subtle.verify("Ed25519", key, new Uint8Array(bytes), message);
  return isRight ? null : "its signature does not match its content";
}

const SIGNATURE_BYTES = 64;
