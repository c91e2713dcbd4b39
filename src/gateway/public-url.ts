/**
 * Where this server is reached from outside: the setting PUBLIC_URL. It is the one origin that links,
 * cookies and the checks of forms and MCP are made of; the Host header never is, because a proxy in
 * front may write anything into it.
 */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";

type Settings = Pick<Env, "PUBLIC_URL">;

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The last one that was parsed: a deployment has one, and a request asks for it several times. */
let parsed: { readonly text: string; readonly url: URL | null } | undefined;

/** Null where the setting is missing, or is not an origin that can be linked to. */
export function publicOrigin({ PUBLIC_URL = "" }: Settings): URL | null {
  if (parsed?.text !== PUBLIC_URL) parsed = { text: PUBLIC_URL, url: originIn(PUBLIC_URL) };
  return parsed.url;
}

function originIn(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  const isOriginAlone =
    url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  return isOriginAlone && url.password === "" ? url : null;
}

/** Without a slash at its end. Requests do not get here while there is none. */
export const publicUrlOf = (settings: Settings): string => publicOrigin(settings)?.origin ?? "";

const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Does the operator say that only this machine is served? An address that is not set says nothing. */
export const isLoopback = (settings: Settings): boolean =>
  isLoopbackHost(publicOrigin(settings)?.hostname ?? "");

/** Is this the Origin of a page that came from this machine? */
export const isLocalOrigin = (origin: string): boolean =>
  URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);

/** May cookies be for https only? On plain http a browser would drop such a cookie. */
export const isSecure = (settings: Settings): boolean =>
  publicOrigin(settings)?.protocol === "https:";

/** Is this the Origin of our own pages? The names of this machine count as one. */
export function isOwnOrigin(origin: string, settings: Settings): boolean {
  const own = publicOrigin(settings);
  if (own === null || !URL.canParse(origin)) return false;
  const given = new URL(origin);
  if (given.origin === own.origin) return true;
  const areLocal = isLoopbackHost(given.hostname) && isLoopbackHost(own.hostname);
  return areLocal && given.protocol === own.protocol && given.port === own.port;
}

export const linkAddresses = (code: LinkCode, publicUrl: string) => ({
  url: `${publicUrl}/h/${code}`,
  code,
  qrUrl: `${publicUrl}/h/${code}/qr.svg`,
});
