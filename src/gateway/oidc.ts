/**
 * Identifies callers by a token of an OpenID provider: `OIDC={issuer, audience, header}`. The token
 * itself is verified; no other header is trusted. Keys come from the provider's discovery document and
 * are cached. An unknown key id triggers another fetch, at most every half minute. Only signatures with
 * public keys are accepted, and a key only with an algorithm of its type, so that no public key can be
 * used as a shared secret.
 *
 * Imports name their files in full, so that scripts can check settings with this file as it is.
 */
import { decodeBase64url } from "../domain/base64url.ts";
import type { Failure } from "../domain/failure";
import type { Identity } from "../domain/participants/identity";
import { omitUndefined, refuse, type Result } from "../domain/result.ts";
import type { Env } from "../env";

interface OidcSetting {
  readonly issuer: string;
  readonly audience: string;
  readonly header: string;
}

type OidcSettings = Pick<Env, "OIDC" | "PRIVATE_NETWORK">;

/** The issuer, and the network that reaches it if it is in the operator's own network. */
interface Provider extends OidcSetting {
  readonly network: Env["PRIVATE_NETWORK"];
}

interface Jwk extends JsonWebKey {
  readonly kid?: string;
}

interface CachedKeys {
  readonly keys: readonly Jwk[];
  /** When the keys were last requested, and when the provider last answered. */
  readonly at: number;
  readonly answeredAt: number;
}

const SKEW_S = 60;
const CACHE_MS = 10 * 60_000;
const REFETCH_MS = 30_000;
/** If the provider does not answer, its keys stay valid, but not forever: one may have been stolen. */
const MAX_STALE_MS = 24 * 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_SUBJECT_LENGTH = 255;
const HEADER = /^[A-Za-z][A-Za-z0-9-]*$/;
const EXAMPLE =
  '{"issuer": "https://login.example", "audience": "baton", "header": "X-Identity-Token"}';

interface Algorithm {
  readonly kty: string;
  readonly crv?: string;
  readonly key: Parameters<SubtleCrypto["importKey"]>[2];
  readonly verify: Parameters<SubtleCrypto["verify"]>[0];
}

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const PSS = { name: "RSA-PSS", hash: "SHA-256" };
const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map([
  ["RS256", { kty: "RSA", key: RSA, verify: RSA }],
  ["PS256", { kty: "RSA", key: PSS, verify: { name: "RSA-PSS", saltLength: 32 } }],
  ["ES256", { kty: "EC", crv: "P-256", key: P256, verify: { name: "ECDSA", hash: "SHA-256" } }],
  ["EdDSA", { kty: "OKP", crv: "Ed25519", key: { name: "Ed25519" }, verify: { name: "Ed25519" } }],
]);

const settingProblem = (what: string): Result<never, string> => ({
  ok: false,
  error: `OIDC ${what}. Write ${EXAMPLE}.`,
});

/** The setting, or what is wrong with it. */
export function parseOidc(text: string): Result<OidcSetting, string> {
  let parsed: Partial<Record<keyof OidcSetting, unknown>> | null;
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    return settingProblem("is not valid JSON");
  }
  const { issuer, audience, header } = parsed ?? {};
  if (typeof issuer !== "string" || !isAllowedUrl(issuer))
    return settingProblem("needs the issuer's address");
  if (typeof audience !== "string" || audience === "") return settingProblem("needs an audience");
  if (typeof header !== "string" || !HEADER.test(header))
    return settingProblem("needs a header's name");
  if (/^(?:authorization|cookie|baton-key)$/i.test(header))
    return settingProblem("needs another header");
  return { ok: true, value: { issuer, audience, header } };
}

/** Plain http is allowed only on this machine. */
function isAllowedUrl(text: string): boolean {
  const url = URL.parse(text);
  const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
}

const INVALID: Failure = { code: "scope_denied", needed: "review", why: "identity_invalid" };

/** The identity in the headers; null if there is no token. An invalid token is refused. */
export async function identityIn(
  headers: Headers,
  { OIDC: setting, PRIVATE_NETWORK }: OidcSettings,
  now: number,
): Promise<Result<Identity | null>> {
  if (!setting) return { ok: true, value: null };
  const parsed = parseOidc(setting);
  if (!parsed.ok) return refuse({ code: "not_configured", setting: "OIDC", detail: parsed.error });
  const token = headers.get(parsed.value.header)?.replace(/^Bearer +/i, "");
  if (!token) return { ok: true, value: null };
  const provider = { ...parsed.value, network: PRIVATE_NETWORK };
  const identity = await verify(provider, token, now);
  return identity === null ? { ok: false, error: INVALID } : { ok: true, value: identity };
}

async function verify(provider: Provider, token: string, now: number): Promise<Identity | null> {
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
  const [head = "", body = "", encodedSignature = ""] = parts;
  const header = jsonIn(head);
  const claims = jsonIn(body);
  const signature = decodeBase64url(encodedSignature);
  const algorithm = ALGORITHMS.get(header?.["alg"]);
  if (parts.length !== 3 || header === null || claims === null || signature === null) return null;
  // No critical extension is supported.
  if (algorithm === undefined || "crit" in header || !hasValidClaims(provider, claims, now))
    return null;
  const data = new Uint8Array(new TextEncoder().encode(`${head}.${body}`));
  for (const jwk of await keysFor(provider, header["kid"], now)) {
    if (!fitsAlgorithm(jwk, algorithm, header["alg"])) continue;
    if (await isSigned(jwk, algorithm, new Uint8Array(signature), data)) {
      return { issuer: provider.issuer, subject: String(claims["sub"]) };
    }
  }
  return null;
}

function hasValidClaims(
  { issuer, audience }: OidcSetting,
  claims: Readonly<Record<string, unknown>>,
  now: number,
): boolean {
  const { iss, aud, exp, nbf, sub } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const seconds = now / 1000;
  return (
    iss === issuer &&
    audiences.includes(audience) &&
    typeof exp === "number" &&
    seconds < exp + SKEW_S &&
    (nbf === undefined || (typeof nbf === "number" && seconds >= nbf - SKEW_S)) &&
    typeof sub === "string" &&
    sub !== "" &&
    sub.length <= MAX_SUBJECT_LENGTH
  );
}

/** A key is used only for what it declares. */
const fitsAlgorithm = (jwk: Jwk, { kty, crv }: Algorithm, alg: unknown): boolean =>
  jwk.kty === kty &&
  (crv === undefined || jwk.crv === crv) &&
  (jwk.alg === undefined || jwk.alg === alg) &&
  (jwk.use === undefined || jwk.use === "sig");

async function isSigned(
  jwk: Jwk,
  { key, verify: verifyAlgorithm }: Algorithm,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    // Only the members that define the key: the others may forbid its use.
    const { kty, crv, n, e, x, y } = jwk;
    const plain = omitUndefined({ kty, crv, n, e, x, y }) as unknown as JsonWebKey;
    const imported = await crypto.subtle.importKey("jwk", plain, key, false, ["verify"]);
    return await crypto.subtle.verify(verifyAlgorithm, imported, signature, data);
  } catch {
    return false;
  }
}

function jsonIn(part: string): Record<string, unknown> | null {
  try {
    const bytes = decodeBase64url(part);
    const value: unknown = bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const keyCache = new Map<string, CachedKeys>();

async function keysFor(provider: Provider, kid: unknown, now: number): Promise<readonly Jwk[]> {
  const { issuer } = provider;
  const cached = keyCache.get(issuer);
  const matching = (keys: readonly Jwk[]) =>
    kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  const age = cached === undefined ? Infinity : now - cached.at;
  const isFresh = age < CACHE_MS && cached !== undefined && matching(cached.keys).length > 0;
  if (cached !== undefined && (isFresh || age < REFETCH_MS)) return matching(cached.keys);
  // Set before the fetch, so that concurrent requests fetch once. Without any key, all must wait.
  if (cached !== undefined && cached.keys.length > 0) keyCache.set(issuer, { ...cached, at: now });
  const keys = await fetchKeys(provider);
  const answeredAt = keys === null ? (cached?.answeredAt ?? -Infinity) : now;
  const isStillValid = now - answeredAt < MAX_STALE_MS;
  const current = keys ?? (isStillValid ? (cached?.keys ?? []) : []);
  keyCache.set(issuer, { keys: current, at: now, answeredAt });
  return matching(current);
}

async function fetchKeys(provider: Provider): Promise<readonly Jwk[] | null> {
  const { issuer } = provider;
  const base = issuer.replace(/\/$/, "");
  const found = await fetchJson(provider, `${base}/.well-known/openid-configuration`);
  const address = found?.["jwks_uri"];
  if (found?.["issuer"] !== issuer || typeof address !== "string" || !isAllowedUrl(address)) {
    return null;
  }
  const keys = (await fetchJson(provider, address))?.["keys"];
  return Array.isArray(keys) ? (keys as readonly Jwk[]) : null;
}

/** The issuer may be in the operator's own network; other addresses that its answers name may not. */
async function fetchJson(
  { issuer, network }: Provider,
  url: string,
): Promise<Record<string, unknown> | null> {
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const isNamed = new URL(url).origin === new URL(issuer).origin;
    const init = { redirect: "manual", signal } as const;
    const response = await (isNamed && network ? network.fetch(url, init) : fetch(url, init));
    return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
