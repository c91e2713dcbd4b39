/**
 * Sends one signed POST to a receiver: only to allowed addresses, without following redirects, and with
 * a timeout.
 */
import { encodeBase64 } from "../domain/base64url";
import { allowedHosts, isAllowedHost, parseWebhookUrl } from "../domain/notices/webhook-url";
import { ATTEMPT_TIMEOUT_MS, type DeliveryResponse } from "../domain/notices/delivery";
import type { WebhookRequest } from "../domain/notices/formats";
import type { Env } from "../env";
import { keyringOf, signWith } from "./keyring";

const encoder = new TextEncoder();

/** `id` is the same in all attempts to send the message. */
interface Message extends WebhookRequest {
  readonly id: string;
}

/** The result of `read` for the receiver's response, or why there is no response. */
export async function postSigned<T>(
  env: Env,
  url: URL,
  secrets: readonly Uint8Array[],
  { id, headers, body }: Message,
  read: (response: Response) => Promise<T>,
): Promise<T | Pick<DeliveryResponse, "error">> {
  const network = networkFor(env, url);
  if (network === null) return { error: "not_allowed" };
  const signature = await signatures(env, secrets, id, body);
  try {
    const response = await network.fetch(url.href, {
      method: "POST",
      headers: { ...headers, "User-Agent": "Baton-Webhooks", ...signature },
      body,
      // A redirect is a failure: it could lead to an address that is not allowed.
      redirect: "manual",
      signal: AbortSignal.timeout(Number(env.WEBHOOK_TIMEOUT_MS || ATTEMPT_TIMEOUT_MS)),
    });
    return await read(response);
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { error: isLate ? "timeout" : "unreachable" };
  }
}

/**
 * Null if the address is not allowed. `fetch` reaches only public addresses: on Cloudflare by nature, on
 * a self-hosted server by the network that the runtime is configured with.
 */
function networkFor(env: Env, url: URL): Pick<Fetcher, "fetch"> | null {
  const allowed = allowedHosts(env.WEBHOOK_ALLOW);
  if (isAllowedHost(url, allowed)) return env.PRIVATE_NETWORK ?? PUBLIC_NETWORK;
  // Checked again: the setting may have changed since the address was registered.
  return parseWebhookUrl(url.href, allowed).ok ? PUBLIC_NETWORK : null;
}

/** Not `{ fetch }`: the platform refuses to call its `fetch` as a method of another object. */
const PUBLIC_NETWORK: Pick<Fetcher, "fetch"> = { fetch: (url, init) => fetch(url, init) };

/** Standard Webhooks 1.0: computed for each attempt, with every secret that is currently valid. */
async function signatures(
  env: Env,
  secrets: readonly Uint8Array[],
  id: string,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  const shared = await Promise.all(secrets.map((secret) => hmac(secret, signed)));
  const keys = keyringOf(env, "SIGNING_KEYS");
  const ownSignatures = keys.ok ? [await signWith(keys.value, signed)] : [];
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": [
      ...shared.map((bytes) => `v1,${encodeBase64(bytes)}`),
      ...ownSignatures.map(({ signature }) => `v1a,${encodeBase64(signature)}`),
    ].join(" "),
  };
}

async function hmac(secret: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
}
