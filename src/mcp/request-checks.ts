/**
 * Checks of a request before the MCP library parses it. The library drops an argument called
 * `__proto__` silently, repeats an unknown name of a tool or prompt, which may be a misplaced secret,
 * and accepts a hundred messages at once. None of this may happen here.
 */
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  readRequestBody,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { LIMITS } from "../domain/limits";
import { redact } from "../domain/redact";
import type { Env } from "../env";
import { isLoopback, isSecure, publicOrigin } from "../gateway/public-url";

/** Only a text that matches can contain such a message. No other text is parsed twice. */
const SUSPECT =
  /^\s*\[|__proto__|\\u|"name"\s*:\s*"(?:[^"]*(?:[rj]tok_|bkey_|hck_|whsec_|eyJ)|[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}-?[A-Za-z0-9]{5}")/;

export async function bodyProblem(request: Request): Promise<Response | null> {
  if (request.method !== "POST") return null;
  // An incomplete body is the sender's error, not ours.
  const read = await readRequestBody(request.clone() as Request, LIMITS.bodyBytes).catch(
    () => null,
  );
  if (read === null) return refusal(PARSE_ERROR, "The body ended early", null);
  if (read.tooLarge || !SUSPECT.test(read.text)) return null;
  const messages = [parse(read.text)].flat();
  if (messages.length > LIMITS.mcpBatch) {
    return refusal(INVALID_REQUEST, `A request has at most ${LIMITS.mcpBatch} messages`, null);
  }
  const secret = messages.find((message) => isSecret(message?.params?.name));
  if (secret !== undefined) {
    return refusal(INVALID_PARAMS, "This name does not exist", secret?.id ?? null);
  }
  const found = messages.find((message) =>
    Object.hasOwn(message?.params?.arguments ?? {}, "__proto__"),
  );
  if (found === undefined) return null;
  return refusal(INVALID_PARAMS, 'An argument is called "__proto__"', found?.id ?? null);
}

const refusal = (code: number, message: string, id: unknown): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status: 400 });

type Message = {
  readonly id?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: object };
} | null;

const isSecret = (name: unknown): boolean => typeof name === "string" && redact(name) !== name;

/** Returns null for invalid JSON, which the library refuses. */
function parse(text: string): Message | Message[] {
  try {
    return JSON.parse(text) as Message | Message[];
  } catch {
    return null;
  }
}

const LOCAL = localhostAllowedHostnames();

/**
 * A page of another site, or a host name that was rebound to this machine, must not reach a server that
 * trusts its network. Every POST of a browser has an Origin, so that check alone keeps other sites out.
 * The Host is checked only without a proxy in front, because a proxy may write its own.
 */
export function originProblem(request: Request, env: Env): Response | null {
  const own = publicOrigin(env)?.hostname ?? "";
  const allowed = isLoopback(env) ? LOCAL : [own];
  const isDirect = isLoopback(env) && !isSecure(env);
  const rebound = isDirect ? hostHeaderValidationResponse(withHost(request), allowed) : undefined;
  return rebound ?? originValidationResponse(request, allowed) ?? null;
}

/** Some runtimes have the host only in the URL. */
function withHost(request: Request): Request {
  if (request.headers.has("Host")) return request;
  const headers = new Headers(request.headers);
  headers.set("Host", new URL(request.url).host);
  return new Request(request.url, { method: request.method, headers });
}
