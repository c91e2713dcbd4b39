/**
 * Where a webhook may go. Addresses that are written out and are not public are refused when an
 * endpoint is registered. What a name resolves to is decided where the connection is made, by the
 * network of the runtime: a check here could be answered differently a moment later.
 */
import { invalid } from "../failure";
import { LIMITS } from "../limits";
import { isWithin, parseAddress } from "../participants/network";
import { NON_PUBLIC_NETWORKS } from "./non-public-networks";
import { ok, refuse, type Result } from "../result";

/** Names that mean this machine or this network whatever a resolver says (RFC 6761, 6762, 8375, 9476). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)$/;

/** `host[:port]` entries of the setting WEBHOOK_ALLOW, in lower case. */
export const allowedHosts = (setting: string | undefined): readonly string[] =>
  (setting ?? "")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");

/** Does the operator allow it although it is private or plain http? */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return allowed.includes(url.hostname) || allowed.includes(`${url.hostname}:${port}`);
}

const invalidUrl = (detail: string): Result<never> => refuse(invalid(detail, "url"));

/** The address as it will be called, or what is wrong with it. */
export function parseWebhookUrl(text: string, allowed: readonly string[]): Result<URL> {
  if (text.length > LIMITS.webhookUrlLength) {
    return invalidUrl(`the URL is longer than ${LIMITS.webhookUrlLength} characters`);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return invalidUrl("the URL must be an absolute https address");
  }
  if (url.username !== "" || url.password !== "") {
    return invalidUrl("the URL must not hold a user name or a password");
  }
  url.hash = "";
  if (isAllowedHost(url, allowed)) return ok(url);
  if (url.protocol !== "https:") {
    return invalidUrl("the URL must begin with https, unless WEBHOOK_ALLOW names its host");
  }
  return isPublicHost(url.hostname)
    ? ok(url)
    : invalidUrl(
        "the URL names an address that is not public, and WEBHOOK_ALLOW does not allow it",
      );
}

/** False for what certainly is not public; a name may still resolve to what is not. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const address = parseAddress(host);
  if (address !== null) return !NON_PUBLIC_NETWORKS.some((network) => isWithin(host, network));
  return host.includes(".") && !LOCAL_NAME.test(host);
}
