/** The cookies of a link, and the check that a request comes from our own pages. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { isOwnOrigin, isSecure } from "../gateway/public-url";
import type { Failure } from "../domain/failure";
import { rateLimitHeaders, retryAfter } from "../protocol/rate-limit-headers";
import { LANGUAGE_COOKIE, LANGUAGES } from "./words/index";

export type PublicSettings = Pick<Env, "PUBLIC_URL">;

/**
 * Whether a request comes from our own page: another site can make a browser post, but cannot send our
 * origin. A request without `Origin` does not come from a browser's form, so CSRF does not apply.
 */
export function isSameOriginRequest({ headers }: Request, env: PublicSettings): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headers.get("Origin");
  return origin === null || isOwnOrigin(origin, env);
}

const CREDENTIAL_COOKIE = "baton";
const NONCE_COOKIE = "baton-nonce";

/** Browsers accept this prefix only over https, so plain http cannot set the cookie. */
const cookieName = (name: string, env: PublicSettings): string =>
  isSecure(env) ? `__Secure-${name}` : name;

export const readCredentialCookie = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, CREDENTIAL_COOKIE);
export const readNonceCookie = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, NONCE_COOKIE);

export const credentialCookie = (
  env: PublicSettings,
  code: LinkCode,
  value: string,
  maxAgeMs: number,
): string => formatCookie(env, CREDENTIAL_COOKIE, value, maxAgeMs, linkScope(code));

/** The same nonce is in the form: together they prove that the form is ours. */
export const nonceCookie = (env: PublicSettings, code: LinkCode, value: string): string =>
  formatCookie(env, NONCE_COOKIE, value, NONCE_LIFETIME_MS, linkScope(code));

export const NONCE_LIFETIME_MS = 60 * 60 * 1000;

/** The path of a cookie, and whether a link on another site sends it. */
interface CookieScope {
  readonly path: string;
  readonly sameSite: "Lax" | "Strict";
}

const linkScope = (code: LinkCode): CookieScope => ({ path: `/h/${code}`, sameSite: "Lax" });

export function formatCookie(
  env: PublicSettings,
  name: string,
  value: string,
  maxAgeMs: number,
  { path, sameSite }: CookieScope,
): string {
  const seconds = Math.max(0, Math.floor(maxAgeMs / 1000));
  const rest = `Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}`;
  return `${cookieName(name, env)}=${value}; ${rest}${isSecure(env) ? "; Secure" : ""}`;
}

export function readCookie(headers: Headers, env: PublicSettings, name: string): string | null {
  for (const part of (headers.get("Cookie") ?? "").split(";")) {
    const [key = "", ...value] = part.trim().split("=");
    if (key === cookieName(name, env)) return value.join("=");
  }
  return null;
}

/** Stores the language chosen on a page for the next page. Null if none was chosen. */
export function languageCookie(chosen: string | undefined, { path, sameSite }: CookieScope) {
  if (chosen === undefined || !Object.hasOwn(LANGUAGES, chosen)) return null;
  const year = 365 * 24 * 60 * 60;
  const rest = `Path=${path}; Max-Age=${year}; SameSite=${sameSite}; HttpOnly`;
  return `${LANGUAGE_COOKIE}=${chosen}; ${rest}`;
}

export const createNonce = (): string => crypto.randomUUID().replaceAll("-", "");

/** When to retry after a temporary failure. */
export function retryLaterHeaders(failure: Failure): Readonly<Record<string, string>> {
  const { retryAfterMs = 1_000 } = failure as { readonly retryAfterMs?: number };
  const headers = retryAfter(retryAfterMs);
  return failure.code === "rate_limited" ? { ...headers, ...rateLimitHeaders(failure) } : headers;
}
