/**
 * What the protocol's own parser does with a message that is wrong, and must not. It leaves out an
 * argument called `__proto__` before a tool could refuse it: no argument is dropped in silence. And it
 * says the name of a tool or prompt that it does not know again, which may be a misplaced secret. It
 * also takes a hundred messages at once.
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

/** Only a text with one of these can hold any of it; any other is not parsed twice. */
const SUSPECT =
  /^\s*\[|__proto__|\\u|"name"\s*:\s*"(?:[^"]*(?:[rj]tok_|bkey_|hck_|whsec_|eyJ)|[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}-?[A-Za-z0-9]{5}")/;

export async function bodyProblem(request: Request): Promise<Response | null> {
  if (request.method !== "POST") return null;
  // A body that breaks off is the sender's doing, not a fault here.
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

/** What is not JSON is for the protocol's parser to refuse. */
function parse(text: string): Message | Message[] {
  try {
    return JSON.parse(text) as Message | Message[];
  } catch {
    return null;
  }
}

/**
 * Host and Origin, checked before anything else: a page of another site, or a name that was rebound
 * to this machine, must not be able to speak MCP with a server that trusts its network.
 */
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
