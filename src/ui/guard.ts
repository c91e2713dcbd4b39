/** Where a posted form came from, and the cookies of a link. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { isOwnOrigin, isSecure } from "../gateway/public-url";
import type { Failure } from "../domain/failure";
import { rateLimitHeaders, retryAfter } from "../protocol/rate-limit-headers";

type PublicSettings = Pick<Env, "PUBLIC_URL">;

/**
 * Only a form of our own page: another site can make a browser post, but it cannot claim our origin.
 * A request without `Origin` does not come from a browser's form, so there is no cookie to misuse.
 */
export function isOwnForm({ headers }: Request, env: PublicSettings): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headers.get("Origin");
  return origin === null || isOwnOrigin(origin, env);
}

const CREDENTIAL = "baton";
const NONCE = "baton-nonce";

/** Browsers take this prefix only from https, which is how they keep plain http from setting it. */
const nameOf = (name: string, env: PublicSettings): string =>
  isSecure(env) ? `__Secure-${name}` : name;

export const credentialIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, nameOf(CREDENTIAL, env));
export const nonceIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, nameOf(NONCE, env));

export const setCredential = (
  env: PublicSettings,
  code: LinkCode,
  value: string,
  maxAgeMs: number,
): string => cookie(env, code, CREDENTIAL, value, maxAgeMs);

/** Half of a pair whose other half is in the form: proof that the form was ours. */
export const setNonce = (env: PublicSettings, code: LinkCode, value: string): string =>
  cookie(env, code, NONCE, value, NONCE_MS);

const NONCE_MS = 60 * 60 * 1000;

function cookie(
  env: PublicSettings,
  code: LinkCode,
  name: string,
  value: string,
  maxAgeMs: number,
): string {
  const seconds = Math.max(0, Math.floor(maxAgeMs / 1000));
  const rest = `Path=/h/${code}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return `${nameOf(name, env)}=${value}; ${rest}${isSecure(env) ? "; Secure" : ""}`;
}

export function cookieIn(headers: Headers, name: string): string | null {
  for (const part of (headers.get("Cookie") ?? "").split(";")) {
    const [key = "", ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}

export const drawNonce = (): string => crypto.randomUUID().replaceAll("-", "");

/** When it is worth while to try again after a refusal that does not last. */
export function laterHeaders(failure: Failure): Readonly<Record<string, string>> {
  const { retryAfterMs = 1_000 } = failure as { readonly retryAfterMs?: number };
  const headers = retryAfter(retryAfterMs);
  return failure.code === "rate_limited" ? { ...headers, ...rateLimitHeaders(failure) } : headers;
}
