/**
 * One signed POST to a receiver: to addresses that may be called from here only, without following a
 * redirect, and for so long as an attempt may take.
 */
import { encodeBase64 } from "../domain/base64url";
import { allowedHosts, isAllowedHost, parseWebhookUrl } from "../domain/notices/webhook-url";
import { ATTEMPT_TIMEOUT_MS, type DeliveryResponse } from "../domain/notices/delivery";
import type { WebhookRequest } from "../domain/notices/formats";
import type { Env } from "../env";
import { keyringOf, signWith } from "./keyring";

const encoder = new TextEncoder();

/** What is sent: `id` names the message in all its attempts. */
interface Message extends WebhookRequest {
  readonly id: string;
}

/** What the receiver answered, for `read` to look at; or why there is no answer. */
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
      // A redirect is a failure: it could lead where the address itself may not.
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
 * Null where the address may not be called from here. `fetch` reaches public addresses only: on
 * Cloudflare by itself, on a server of one's own by the network that the runtime is given.
 */
function networkFor(env: Env, url: URL): Pick<Fetcher, "fetch"> | null {
  const allowed = allowedHosts(env.WEBHOOK_ALLOW);
  if (isAllowedHost(url, allowed)) return env.PRIVATE_NETWORK ?? PUBLIC_NETWORK;
  // Checked again: the setting may have changed since the address was registered.
  return parseWebhookUrl(url.href, allowed).ok ? PUBLIC_NETWORK : null;
}

/** Not `{ fetch }`: the platform refuses to run its `fetch` as a method of another object. */
const PUBLIC_NETWORK: Pick<Fetcher, "fetch"> = { fetch: (url, asking) => fetch(url, asking) };

/** Standard Webhooks 1.0: anew for each attempt, with every secret that is good now. */
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
  const own = keys.ok ? [await signWith(keys.value, signed)] : [];
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": [
      ...shared.map((bytes) => `v1,${encodeBase64(bytes)}`),
      ...own.map(({ signature }) => `v1a,${encodeBase64(signature)}`),
    ].join(" "),
  };
}

async function hmac(secret: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
}
