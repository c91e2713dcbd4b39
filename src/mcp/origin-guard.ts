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
import { publicUrlOf } from "../gateway/public-url";

const LOCAL = new Set(localhostAllowedHostnames());

export function originProblem(request: Request, env: Env): Response | null {
  const own = new URL(publicUrlOf(env)).hostname;
  const allowed = LOCAL.has(own) ? [...LOCAL] : [own];
  return (
    hostHeaderValidationResponse(withHost(request), allowed) ??
    originValidationResponse(request, allowed) ??
    null
  );
}

/** Some runtimes keep the host only in the address. */
function withHost(request: Request): Request {
  if (request.headers.has("Host")) return request;
  const headers = new Headers(request.headers);
  headers.set("Host", new URL(request.url).host);
  return new Request(request.url, { method: request.method, headers });
}
