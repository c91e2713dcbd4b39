/** Where a posted form came from, and the cookies of a link. */
import type { LinkCode } from "../domain/links/link-code";

/**
 * Only a form of our own page: another site can make a browser post, but not say it was us. What
 * says nothing is no browser, which would have no cookie to be tricked out of.
 */
export function isOwnForm({ headers, url }: Request): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headers.get("Origin");
  return origin === null || origin === new URL(url).origin;
}

const CREDENTIAL = "__Secure-baton";
const NONCE = "__Secure-baton-nonce";

export const credentialIn = (headers: Headers): string | null => cookieIn(headers, CREDENTIAL);
export const nonceIn = (headers: Headers): string | null => cookieIn(headers, NONCE);

export const setCredential = (code: LinkCode, value: string, maxAgeMs: number): string =>
  cookie(code, CREDENTIAL, value, maxAgeMs);

/** Half of a pair whose other half is in the form: proof that the form was ours. */
export const setNonce = (code: LinkCode, value: string): string =>
  cookie(code, NONCE, value, NONCE_MS);

const NONCE_MS = 60 * 60 * 1000;

const cookie = (code: LinkCode, name: string, value: string, maxAgeMs: number): string =>
  `${name}=${value}; Path=/h/${code}; Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1000))}; Secure; HttpOnly; SameSite=Lax`;

function cookieIn(headers: Headers, name: string): string | null {
  for (const part of (headers.get("Cookie") ?? "").split(";")) {
    const [key = "", ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}

export const drawNonce = (): string => crypto.randomUUID().replaceAll("-", "");
