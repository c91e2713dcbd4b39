/**
 * Who sends a request, as an OpenID provider signed it: `OIDC={issuer, audience, header}`. The token itself
 * is verified, a header is never believed. Keys come from the provider's discovery document and are kept
 * for a while; a key id that is not known is looked for once more, at most every half minute. Only
 * signatures with public keys count, and a key only with the algorithm of its kind, so that no public key
 * can be taken for a shared secret.
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

/** The issuer, and the way to it where it may stand in the operator's own network. */
interface Provider extends OidcSetting {
  readonly network: Env["PRIVATE_NETWORK"];
}

interface Jwk extends JsonWebKey {
  readonly kid?: string;
}

interface CachedKeys {
  readonly keys: readonly Jwk[];
  /** When the provider was last asked, and when it last answered. */
  readonly at: number;
  readonly answeredAt: number;
}

const SKEW_S = 60;
const CACHE_MS = 10 * 60_000;
const REFETCH_MS = 30_000;
/** A provider that does not answer takes no key away, but not for ever: one of them may have been stolen. */
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

/** Over plain http only on this machine. */
function isAllowedUrl(text: string): boolean {
  const url = URL.parse(text);
  const isHere = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isHere);
}

const INVALID: Failure = { code: "scope_denied", needed: "review", why: "identity_invalid" };

/** Who the headers name; null where they say nothing. A token that is not right is refused. */
export async function identityIn(
  headers: Headers,
  { OIDC: setting, PRIVATE_NETWORK }: OidcSettings,
  now: number,
): Promise<Result<Identity | null>> {
  if (!setting) return { ok: true, value: null };
  const parsed = parseOidc(setting);
  if (!parsed.ok) return refuse({ code: "not_configured", setting: "OIDC", why: parsed.error });
  const token = headers.get(parsed.value.header)?.replace(/^Bearer +/i, "");
  if (!token) return { ok: true, value: null };
  const from = { ...parsed.value, network: PRIVATE_NETWORK };
  const identity = await verify(from, token, now);
  return identity === null ? { ok: false, error: INVALID } : { ok: true, value: identity };
}

async function verify(setting: Provider, token: string, now: number): Promise<Identity | null> {
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
  const [head = "", body = "", mark = ""] = parts;
  const header = jsonIn(head);
  const claims = jsonIn(body);
  const signature = decodeBase64url(mark);
  const algorithm = ALGORITHMS.get(header?.["alg"]);
  if (parts.length !== 3 || header === null || claims === null || signature === null) return null;
  // Extensions that must be understood are not.
  if (algorithm === undefined || "crit" in header || !hasValidClaims(setting, claims, now))
    return null;
  const data = new Uint8Array(new TextEncoder().encode(`${head}.${body}`));
  for (const jwk of await keysFor(setting, header["kid"], now)) {
    if (!fitsAlgorithm(jwk, algorithm, header["alg"])) continue;
    if (await isSigned(jwk, algorithm, new Uint8Array(signature), data)) {
      return { issuer: setting.issuer, subject: String(claims["sub"]) };
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

/** A key says what it is for, and is used for nothing else. */
const fitsAlgorithm = (jwk: Jwk, { kty, crv }: Algorithm, alg: unknown): boolean =>
  jwk.kty === kty &&
  (crv === undefined || jwk.crv === crv) &&
  (jwk.alg === undefined || jwk.alg === alg) &&
  (jwk.use === undefined || jwk.use === "sig");

async function isSigned(
  jwk: Jwk,
  { key, verify: how }: Algorithm,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    // Only what makes the key: other members of it may forbid its use.
    const { kty, crv, n, e, x, y } = jwk;
    const plain = omitUndefined({ kty, crv, n, e, x, y }) as unknown as JsonWebKey;
    const imported = await crypto.subtle.importKey("jwk", plain, key, false, ["verify"]);
    return await crypto.subtle.verify(how, imported, signature, data);
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

async function keysFor(from: Provider, kid: unknown, now: number): Promise<readonly Jwk[]> {
  const { issuer } = from;
  const kept = keyCache.get(issuer);
  const fits = (keys: readonly Jwk[]) =>
    kid === undefined ? keys : keys.filter((key) => key.kid === kid);
  const age = kept === undefined ? Infinity : now - kept.at;
  const isFresh = age < CACHE_MS && kept !== undefined && fits(kept.keys).length > 0;
  if (kept !== undefined && (isFresh || age < REFETCH_MS)) return fits(kept.keys);
  // Before it answers, so that many requests at the same time ask once. Without any key all must wait.
  if (kept !== undefined && kept.keys.length > 0) keyCache.set(issuer, { ...kept, at: now });
  const keys = await fetchKeys(from);
  const answeredAt = keys === null ? (kept?.answeredAt ?? -Infinity) : now;
  const isKept = now - answeredAt < MAX_STALE_MS;
  const current = keys ?? (isKept ? (kept?.keys ?? []) : []);
  keyCache.set(issuer, { keys: current, at: now, answeredAt });
  return fits(current);
}

async function fetchKeys(from: Provider): Promise<readonly Jwk[] | null> {
  const { issuer } = from;
  const base = issuer.replace(/\/$/, "");
  const found = await fetchJson(from, `${base}/.well-known/openid-configuration`);
  const address = found?.["jwks_uri"];
  if (found?.["issuer"] !== issuer || typeof address !== "string" || !isAllowedUrl(address)) {
    return null;
  }
  const keys = (await fetchJson(from, address))?.["keys"];
  return Array.isArray(keys) ? (keys as readonly Jwk[]) : null;
}

/** What the operator named may stand in their own network; whatever its answers name may not. */
async function fetchJson(
  { issuer, network }: Provider,
  url: string,
): Promise<Record<string, unknown> | null> {
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const isNamed = new URL(url).origin === new URL(issuer).origin;
    const asking = { redirect: "manual", signal } as const;
    const response = await (isNamed && network ? network.fetch(url, asking) : fetch(url, asking));
    return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
