/**
 * The public origin of this server: the setting PUBLIC_URL. Links, cookies and the origin checks of
 * forms and MCP use this origin, never the Host header, because a proxy may write anything into it.
 */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";

type Settings = Pick<Env, "PUBLIC_URL">;

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The last one that was parsed: a deployment has one, and a request needs it several times. */
let parsed: { readonly text: string; readonly url: URL | null } | undefined;

/** Null if the setting is missing, or is not an origin that links can use. */
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

/** Without a trailing slash. Requests are refused earlier if the setting is missing. */
export const publicUrlOf = (settings: Settings): string => publicOrigin(settings)?.origin ?? "";

const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Is only this machine served, according to the setting? False if it is missing. */
export const isLoopback = (settings: Settings): boolean =>
  isLoopbackHost(publicOrigin(settings)?.hostname ?? "");

/** Is this the Origin of a page that was served from this machine? */
export const isLocalOrigin = (origin: string): boolean =>
  URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);

/** May cookies be for https only? On plain http a browser would drop such a cookie. */
export const isSecure = (settings: Settings): boolean =>
  publicOrigin(settings)?.protocol === "https:";

/** Is this the Origin of our own pages? All names of this machine count as one. */
export function isOwnOrigin(origin: string, settings: Settings): boolean {
  const own = publicOrigin(settings);
  if (own === null || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin === own.origin) return true;
  const areLocal = isLoopbackHost(url.hostname) && isLoopbackHost(own.hostname);
  return areLocal && url.protocol === own.protocol && url.port === own.port;
}

export const linkAddresses = (code: LinkCode, publicUrl: string) => ({
  url: `${publicUrl}/h/${code}`,
  code,
  qrUrl: `${publicUrl}/h/${code}/qr.svg`,
});
