/** An OpenID provider inside the runtime: keys of several kinds, and tokens that they sign. */
import { encodeBase64url } from "../../src/domain/base64url";

export const AUDIENCE = "baton";
let providerCount = 0;

export const text = (value: unknown): string =>
  encodeBase64url(new TextEncoder().encode(JSON.stringify(value)));

export interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: Record<string, unknown>;
  sign(data: string): Promise<Uint8Array>;
}

const KINDS = {
  RS256: {
    make: {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: "SHA-256",
    },
    use: { name: "RSASSA-PKCS1-v1_5" },
  },
  ES256: { make: { name: "ECDSA", namedCurve: "P-256" }, use: { name: "ECDSA", hash: "SHA-256" } },
  EdDSA: { make: { name: "Ed25519" }, use: { name: "Ed25519" } },
} as const;
export type Alg = keyof typeof KINDS;

export async function signer(alg: Alg, kid: string): Promise<Signer> {
  const { make, use } = KINDS[alg];
  const pair = (await crypto.subtle.generateKey(make, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  return {
    kid,
    alg,
    jwk: { ...jwk, kid, alg, use: "sig", key_ops: undefined },
    sign: async (data) =>
      new Uint8Array(
        await crypto.subtle.sign(use, pair.privateKey, new TextEncoder().encode(data)),
      ),
  };
}

/** An OpenID provider: a discovery document, keys, and tokens. */
export class Provider {
  readonly issuer = `https://login-${++providerCount}.example`;
  keys: Signer[] = [];
  keysAt = `${this.issuer}/keys`;
  requestCount = 0;

  answer(url: string): Response {
    this.requestCount += 1;
    return url.endsWith("/.well-known/openid-configuration")
      ? Response.json({ issuer: this.issuer, jwks_uri: this.keysAt })
      : Response.json({ keys: this.keys.map(({ jwk }) => jwk) });
  }

  async token(
    claims: Record<string, unknown> = {},
    { by = this.keys[0], header = {} }: { by?: Signer | undefined; header?: object } = {},
  ): Promise<string> {
    if (by === undefined) throw new Error("the provider has no key");
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.issuer, aud: AUDIENCE, sub: "ada", exp: now + 300, ...claims };
    const signed = `${text({ alg: by.alg, kid: by.kid, ...header })}.${text(all)}`;
    return `${signed}.${encodeBase64url(await by.sign(signed))}`;
  }
}
