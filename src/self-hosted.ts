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

const CALLER = "CF-Connecting-IP";
/** Until PUBLIC_URL is set, every request is refused; it needs an address all the same. */
const UNSET = "http://unset.invalid";

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

function arrived(request: Request, env: Env): Request {
  const socket = socketAddress(request);
  const proxy = trustedProxyOf(env.TRUSTED_PROXY);
  const isProxied = proxy !== null && isTrusted(socket, proxy);
  const caller = isProxied ? forwardedFor(request.headers, proxy) : socket;
  const known = new Request((publicUrlOf(env) || UNSET) + targetOf(request), request);
  const { headers } = known;
  headers.delete("cf-ray");
  if (caller === null) headers.delete(CALLER);
  else headers.set(CALLER, caller);
  if (env.PRINCIPAL_HEADER && !isProxied) headers.delete(env.PRINCIPAL_HEADER);
  return known;
}

export default {
  fetch(request, env, context) {
    const here = { ...env, RUNTIME: "self-hosted" } as const;
    return worker.fetch(arrived(request, env) as typeof request, here, context);
  },
  /** Nobody is let through to anywhere. */
  connect(socket: { close(): Promise<void> }) {
    return socket.close();
  },
} satisfies ExportedHandler<Env> & { connect: unknown };
