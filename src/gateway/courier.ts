/**
 * Makes one attempt at a delivery for an endpoint's object: opens what is sealed, writes and signs the
 * message, and connects. Done in the Worker because the object holds no secret. Nothing of what a
 * receiver answers but its status and Retry-After goes back: an answer's body may be anybody's.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { decodeBase64url, encodeBase64 } from "../domain/base64url";
import { allowedHosts, isAllowedHost, webhookUrl } from "../domain/notices/address";
import { ATTEMPT_TIMEOUT_MS, type Answer } from "../domain/notices/delivery";
import { render } from "../domain/notices/formats";
import { sourceOf, webhookIdOf } from "../domain/notices/notice";
import type { Env } from "../env";
import type { CourierPort, Parcel } from "../object/endpoint-messages";
import { keysOf, openUnder, signWith, type Keyring } from "./keyring";
import { linkPurpose, secretPurpose, urlPurpose } from "./sealed-endpoint";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Courier extends WorkerEntrypoint<Env> implements CourierPort {
  async deliver(parcel: Parcel): Promise<Answer> {
    const ring = keysOf(this.env, "SEALING_KEYS");
    const opened = ring.ok ? await openParcel(ring.value, parcel) : null;
    if (opened === null) return { error: "not_configured" };
    const network = networkFor(this.env, opened.url);
    if (network === null) return { error: "unreachable" };
    const posted = render(parcel.format, parcel.notice, opened.link);
    const id = webhookIdOf(parcel.notice);
    const signature = await signatures(this.env, opened.secrets, id, posted.body);
    const timeoutMs = Number(this.env.WEBHOOK_TIMEOUT_MS ?? ATTEMPT_TIMEOUT_MS);
    try {
      const response = await network.fetch(opened.url.href, {
        method: "POST",
        headers: { ...posted.headers, "User-Agent": "Baton-Webhooks", ...signature },
        body: posted.body,
        // A redirect is a failure: it could lead where the address itself may not.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      const retryAfter = response.headers.get("Retry-After");
      await response.body?.cancel();
      return { status: response.status, ...(retryAfter === null ? {} : { retryAfter }) };
    } catch (error) {
      const isLate = error instanceof Error && error.name === "TimeoutError";
      return { error: isLate ? "timeout" : "unreachable" };
    }
  }
}

/**
 * Null where the address may not be called from here. `fetch` reaches public addresses only: on
 * Cloudflare by itself, on a server of one's own by the network that the runtime is given.
 */
function networkFor(env: Env, url: URL): Pick<Fetcher, "fetch"> | null {
  const allowed = allowedHosts(env.WEBHOOK_ALLOW);
  if (isAllowedHost(url, allowed)) return env.PRIVATE_NETWORK ?? { fetch };
  // Checked again: the setting may have changed since the address was registered.
  return webhookUrl(url.href, allowed).ok ? { fetch } : null;
}

interface Opened {
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
  readonly link: string | null;
}

/** Null where a key has left SEALING_KEYS. */
async function openParcel(ring: Keyring, parcel: Parcel): Promise<Opened | null> {
  const { endpointId, notice } = parcel;
  const open = (purpose: string, sealed: string): Promise<Uint8Array | null> =>
    openUnder(ring, purpose, decodeBase64url(sealed) ?? new Uint8Array());
  const url = await open(urlPurpose(endpointId), parcel.url);
  const secrets = await Promise.all(
    parcel.secrets.map((sealed) => open(secretPurpose(endpointId), sealed)),
  );
  const link =
    parcel.link === undefined ? null : await open(linkPurpose(sourceOf(notice)), parcel.link);
  if (url === null || (parcel.link !== undefined && link === null)) return null;
  const known = secrets.filter((secret) => secret !== null);
  if (known.length === 0) return null;
  return {
    url: new URL(decoder.decode(url)),
    secrets: known,
    link: link === null ? null : decoder.decode(link),
  };
}

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
  const keys = keysOf(env, "SIGNING_KEYS");
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
