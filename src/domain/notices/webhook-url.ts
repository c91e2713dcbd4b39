/**
 * Which URLs a webhook may have. Literal addresses that are not public are refused at registration.
 * For host names, the runtime's network decides when it connects, because a name checked here could
 * resolve differently a moment later.
 */
import { invalid } from "../failure";
import { LIMITS } from "../limits";
import { isWithin, parseAddress } from "../participants/network";
import { NON_PUBLIC_NETWORKS } from "./non-public-networks";
import { ok, refuse, type Result } from "../result";

/** Names of this machine or this network, whatever a resolver returns (RFC 6761, 6762, 8375, 9476). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)$/;

/** `host[:port]` entries of the setting WEBHOOK_ALLOW, in lower case. */
export const allowedHosts = (setting: string | undefined): readonly string[] =>
  (setting ?? "")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");

/** Whether the operator allows this host although it is private or uses plain http. */
export function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return allowed.includes(url.hostname) || allowed.includes(`${url.hostname}:${port}`);
}

const invalidUrl = (detail: string): Result<never> => refuse(invalid(detail, "url"));

/** The URL as it will be called, or why it is not valid. */
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

/** False if the host is certainly not public. A name may still resolve to a private address. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const address = parseAddress(host);
  if (address !== null) return !NON_PUBLIC_NETWORKS.some((network) => isWithin(host, network));
  return host.includes(".") && !LOCAL_NAME.test(host);
}
