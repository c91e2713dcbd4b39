/**
 * The address and the secrets of an endpoint on their way into storage: sealed here, opened only by
 * the courier. Each is bound to what it is for, so that rows cannot be swapped.
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
/** A link rings endpoints of one session, so it is bound to the session. */
export const linkPurpose = (sessionId: string): string => `handoff-link:${sessionId}`;

const PREFIX = "whsec_";
/** As Standard Webhooks bounds them. */
const SECRET_BYTES = { least: 24, most: 64 } as const;
const encoder = new TextEncoder();

export const formatWebhookSecret = (secret: Uint8Array): string => PREFIX + encodeBase64(secret);

/** The bytes of a secret that a client brings. */
export function parseWebhookSecret(text: string): Result<Uint8Array> {
  const bytes = text.startsWith(PREFIX) ? decodeBase64(text.slice(PREFIX.length)) : null;
  return bytes !== null && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most
    ? ok(bytes)
    : refuse(invalid('secret must be "whsec_" and 24 to 64 bytes in base64', "secret"));
}

export const sealUrl = (ring: Keyring, hex: string, url: URL): Promise<string> =>
  sealText(ring, urlPurpose(endpointIdFromHex(hex)), encoder.encode(url.href));

export const sealSecret = (ring: Keyring, hex: string, secret: Uint8Array): Promise<string> =>
  sealText(ring, secretPurpose(endpointIdFromHex(hex)), secret);

const sealLink = (ring: Keyring, sessionId: string, url: string): Promise<string> =>
  sealText(ring, linkPurpose(sessionId), encoder.encode(url));

export const sealText = async (
  ring: Keyring,
  purpose: string,
  plain: Uint8Array,
): Promise<string> => encodeBase64url(await sealUnder(ring, purpose, plain));

/**
 * The link of a handoff that rings endpoints, for the courier's eyes; null for other commands. It goes
 * with the command, so that the message can be sent after a crash, and is readable nowhere else. Only
 * the session knows whether a link that is issued anew rings, so that one is sealed in any case.
 */
export async function sealHandoffLink(
  env: Env,
  sessionId: string,
  command: Command,
  secret: Uint8Array | undefined,
): Promise<Result<string | null>> {
  const isAgain = command.operation === "reissue";
  const rings = command.operation === "handoff" && (command.notify ?? []).length > 0;
  if (!isAgain && !rings) return ok(null);
  const ring = keyringOf(env, "SEALING_KEYS");
  if (!ring.ok) return isAgain ? ok(null) : ring;
  if (secret === undefined) return ok(null);
  const { url } = linkAddresses(codeFromBytes(secret), publicUrlOf(env));
  return ok(await sealLink(ring.value, sessionId, url));
}

/**
 * Whose endpoints a handoff names. A session knows only its own; of others their objects say to which
 * owner they belong, and the session then rings those of its own owner alone. Undefined
 * for commands that name no endpoint.
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
