/**
 * Seals the address and the secrets of an endpoint before they are stored; only the webhook sender opens
 * them. Each is bound to its purpose, so that rows cannot be swapped.
 */
import { decodeBase64, encodeBase64, encodeBase64url } from "../domain/base64url";
import { invalid } from "../domain/failure";
import { endpointIdFromHex, endpointHexOf } from "../domain/notices/endpoint";
import { ok, refuse, type Result } from "../domain/result";
import type { Command } from "../domain/session/command";
import type { EndpointOwners } from "../domain/session/decision";
import { codeFromBytes } from "../domain/links/link-code";
import type { Env } from "../env";
import type { HomeView } from "../object/endpoint-messages";
import { keyringOf, sealUnder, type Keyring } from "./keyring";
import { linkAddresses, publicUrlOf } from "./public-url";
import type { Objects } from "./objects";

export const urlPurpose = (endpointId: string): string => `endpoint-url:${endpointId}`;
export const secretPurpose = (endpointId: string): string => `endpoint-secret:${endpointId}`;
/** A link notifies endpoints of one session, so it is bound to the session. */
export const linkPurpose = (sessionId: string): string => `handoff-link:${sessionId}`;

const PREFIX = "whsec_";
/** The bounds of Standard Webhooks. */
const SECRET_BYTES = { min: 24, max: 64 } as const;
const encoder = new TextEncoder();

export const formatWebhookSecret = (secret: Uint8Array): string => PREFIX + encodeBase64(secret);

/** The bytes of a secret that a client sends. */
export function parseWebhookSecret(text: string): Result<Uint8Array> {
  const bytes = text.startsWith(PREFIX) ? decodeBase64(text.slice(PREFIX.length)) : null;
  return bytes !== null && bytes.length >= SECRET_BYTES.min && bytes.length <= SECRET_BYTES.max
    ? ok(bytes)
    : refuse(invalid('secret must be "whsec_" and 24 to 64 bytes in base64', "secret"));
}

export const sealUrl = (keyring: Keyring, hex: string, url: URL): Promise<string> =>
  sealText(keyring, urlPurpose(endpointIdFromHex(hex)), encoder.encode(url.href));

export const sealSecret = (keyring: Keyring, hex: string, secret: Uint8Array): Promise<string> =>
  sealText(keyring, secretPurpose(endpointIdFromHex(hex)), secret);

const sealLink = (keyring: Keyring, sessionId: string, url: string): Promise<string> =>
  sealText(keyring, linkPurpose(sessionId), encoder.encode(url));

export const sealText = async (
  keyring: Keyring,
  purpose: string,
  plain: Uint8Array,
): Promise<string> => encodeBase64url(await sealUnder(keyring, purpose, plain));

/**
 * Seals the link of a handoff that notifies endpoints, for the webhook sender; null for other commands.
 * It is sent with the command, so that the message can be sent after a crash, and is readable nowhere
 * else. Only the session knows whether a reissued link notifies endpoints, so that link is always
 * sealed.
 */
export async function sealHandoffLink(
  env: Env,
  sessionId: string,
  command: Command,
  secret: Uint8Array | undefined,
): Promise<Result<string | null>> {
  const isReissue = command.operation === "reissue";
  const notifies = command.operation === "handoff" && (command.notify ?? []).length > 0;
  if (!isReissue && !notifies) return ok(null);
  const keyring = keyringOf(env, "SEALING_KEYS");
  if (!keyring.ok) return isReissue ? ok(null) : keyring;
  if (secret === undefined) return ok(null);
  const { url } = linkAddresses(codeFromBytes(secret), publicUrlOf(env));
  return ok(await sealLink(keyring.value, sessionId, url));
}

/**
 * The owners of the endpoints that a handoff names. A session knows only its own endpoints. The objects
 * of other endpoints return their owner, and the session notifies only those of its own owner. Undefined
 * if the command names no endpoint.
 */
export async function endpointOwners(
  objects: Objects,
  command: Command,
): Promise<EndpointOwners | undefined> {
  const named = command.operation === "handoff" ? (command.notify ?? []) : [];
  if (named.length === 0) return undefined;
  const found = await Promise.all(
    [...new Set(named)].map(async (id) => {
      const hex = endpointHexOf(id) ?? "";
      const reply = await objects.endpoint<HomeView | null>(hex, (endpoint) => endpoint.home());
      const found = reply?.ok === true ? reply.value : null;
      if (found === null || !("owner" in found.home)) return [];
      return [[hex, { owner: found.home.owner, isEnded: found.isEnded }] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
