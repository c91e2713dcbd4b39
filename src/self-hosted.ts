/**
 * The Worker's entry on a server of one's own, where nothing stands between workerd's socket and us.
 * Here a request gets what Cloudflare's edge would have given it: an absolute address, and who calls.
 * Headers by which somebody could claim to be that edge are dropped.
 */
import worker from "./index";
import type { Env } from "./env";
import { publicUrlOf } from "./gateway/public-url";
import { forwardedFor, isTrusted, trustedProxyOf } from "./gateway/trusted-proxy";

export * from "./index";

const CALLER_HEADER = "CF-Connecting-IP";
/** Until PUBLIC_URL is set, every request is refused; it needs an address all the same. */
const UNSET_ORIGIN = "http://unset.invalid";

/** What the platform says of a socket: `address:port`, an IPv6 address in brackets. */
function socketAddress(request: Request): string | null {
  const { clientIp } = (request.cf ?? {}) as { readonly clientIp?: string };
  return /^\[?(.+?)\]?:\d+$/.exec(clientIp ?? "")?.[1] ?? null;
}

/** The path as it was sent; of a target with a host, what follows the host. */
function targetOf({ url }: Request): string {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

/** A target that parsing would leave as it is. Nearly all are: ids, tokens, names and plain queries. */
const PLAIN_TARGET = /^(?:\/[\w-]+)+(?:\?[\w=&%.,:+-]*)?$/;

interface NormalizedRequest {
  readonly request: Request;
  readonly address: string | null;
}

/**
 * Copying a request costs some hundredths of a read. So where nothing of it has to be dropped it stays
 * the one that came, and is only told its whole address.
 */
function normalizeRequest(request: Request, env: Env): NormalizedRequest {
  const socket = socketAddress(request);
  const proxy = trustedProxyOf(env.TRUSTED_PROXY);
  const isProxied = proxy !== null && isTrusted(socket, proxy);
  const address = isProxied ? forwardedFor(request.headers, proxy) : socket;
  const dropped = [CALLER_HEADER, "cf-ray"];
  if (env.PRINCIPAL_HEADER && !isProxied) dropped.push(env.PRINCIPAL_HEADER);
  const url = (publicUrlOf(env) || UNSET_ORIGIN) + targetOf(request);
  if (PLAIN_TARGET.test(request.url) && !dropped.some((name) => request.headers.has(name))) {
    return { request: Object.defineProperty(request, "url", { value: url }), address };
  }
  const known = new Request(url, request);
  for (const name of dropped) known.headers.delete(name);
  return { request: known, address };
}

export default {
  fetch(request, env, context) {
    const { request: known, address } = normalizeRequest(request, env);
    const here = { ...env, RUNTIME: "self-hosted", CALLER: { address } } as const;
    return worker.fetch(known as typeof request, here, context);
  },
  /** Nobody is let through to anywhere. */
  connect(socket: { close(): Promise<void> }) {
    return socket.close();
  },
} satisfies ExportedHandler<Env> & { connect: unknown };
