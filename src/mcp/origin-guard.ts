/**
 * Host and Origin, checked before anything else: a page of another site, or a name that was rebound
 * to this machine, must not be able to speak MCP with a server that trusts its network.
 */
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Env } from "../env";
import { isLoopback, isSecure, publicOrigin } from "../gateway/public-url";

const LOCAL = localhostAllowedHostnames();

/**
 * Every POST of a browser names its Origin, so that check alone keeps other sites out. The Host is
 * looked at only where people reach this server directly: a proxy in front may have written its own.
 */
export function originProblem(request: Request, env: Env): Response | null {
  const own = publicOrigin(env)?.hostname ?? "";
  const allowed = isLoopback(env) ? LOCAL : [own];
  const isDirect = isLoopback(env) && !isSecure(env);
  const rebound = isDirect ? hostHeaderValidationResponse(withHost(request), allowed) : undefined;
  return rebound ?? originValidationResponse(request, allowed) ?? null;
}

/** Some runtimes keep the host only in the address. */
function withHost(request: Request): Request {
  if (request.headers.has("Host")) return request;
  const headers = new Headers(request.headers);
  headers.set("Host", new URL(request.url).host);
  return new Request(request.url, { method: request.method, headers });
}
