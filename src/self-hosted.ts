/**
 * The Worker's entry on a self-hosted server, which receives requests directly from workerd's socket. It
 * adds what Cloudflare's edge would have added: an absolute URL and the caller's address. It drops
 * headers by which a client could pretend to be that edge.
 */
import worker from "./index";
import type { Env } from "./env";
import { publicUrlOf } from "./gateway/public-url";
import { forwardedFor, isTrusted, trustedProxyOf } from "./gateway/trusted-proxy";

export * from "./index";

const CALLER_HEADER = "CF-Connecting-IP";
/** Until PUBLIC_URL is set, every request is refused; it still needs a URL. */
const UNSET_ORIGIN = "http://unset.invalid";

/** The platform reports a socket as `address:port`, an IPv6 address in brackets. */
function socketAddress(request: Request): string | null {
  const { clientIp } = (request.cf ?? {}) as { readonly clientIp?: string };
  return /^\[?(.+?)\]?:\d+$/.exec(clientIp ?? "")?.[1] ?? null;
}

/** The path and query as they were sent, without scheme and host. */
function targetOf({ url }: Request): string {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

/** Matches a target that parsing would not change. Nearly all paths consist of ids, tokens and names. */
const PLAIN_TARGET = /^(?:\/[\w-]+)+(?:\?[\w=&%.,:+-]*)?$/;

interface NormalizedRequest {
  readonly request: Request;
  readonly address: string | null;
}

/**
 * Copying a request adds a few percent to the cost of a read. If no header has to be dropped, the
 * request is not copied and only gets its absolute URL.
 */
function normalizeRequest(request: Request, env: Env): NormalizedRequest {
  const socketIp = socketAddress(request);
  const proxy = trustedProxyOf(env.TRUSTED_PROXY);
  const isProxied = proxy !== null && isTrusted(socketIp, proxy);
  const address = isProxied ? forwardedFor(request.headers, proxy) : socketIp;
  const dropped = [CALLER_HEADER, "cf-ray"];
  if (env.PRINCIPAL_HEADER && !isProxied) dropped.push(env.PRINCIPAL_HEADER);
  const url = (publicUrlOf(env) || UNSET_ORIGIN) + targetOf(request);
  if (PLAIN_TARGET.test(request.url) && !dropped.some((name) => request.headers.has(name))) {
    return { request: Object.defineProperty(request, "url", { value: url }), address };
  }
  const normalized = new Request(url, request);
  for (const name of dropped) normalized.headers.delete(name);
  return { request: normalized, address };
}

export default {
  fetch(request, env, context) {
    const { request: normalized, address } = normalizeRequest(request, env);
    const selfHostedEnv = { ...env, RUNTIME: "self-hosted", CALLER: { address } } as const;
    return worker.fetch(normalized as typeof request, selfHostedEnv, context);
  },
  /** This server is no proxy: CONNECT requests are refused. */
  connect(socket: { close(): Promise<void> }) {
    return socket.close();
  },
} satisfies ExportedHandler<Env> & { connect: unknown };
