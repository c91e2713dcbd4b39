/**
 * Makes one attempt at a delivery for an endpoint's object: opens what is sealed, writes the message,
 * and has it signed and sent. Done in the Worker because the object holds no secret. Nothing of what a
 * receiver answers but its status and Retry-After goes back: an answer's body may be anybody's.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { decodeBase64url } from "../domain/base64url";
import type { DeliveryResponse } from "../domain/notices/delivery";
import { omitUndefined } from "../domain/result";
import { renderNotice, type WebhookRequest } from "../domain/notices/formats";
import { noticeSource, webhookIdOf } from "../domain/notices/notice";
import { occurrenceBody } from "../domain/notices/subscription";
import type { Env } from "../env";
import type { WebhookSenderRpc, DeliveryRequest } from "../object/endpoint-messages";
import { isSealedUnderFirst, keyringOf, openUnder, type Keyring } from "./keyring";
import { linkPurpose, sealText, secretPurpose, urlPurpose } from "./sealed-endpoint";
import { postSigned } from "./signed-post";

const decoder = new TextDecoder();

export class WebhookSender extends WorkerEntrypoint<Env> implements WebhookSenderRpc {
  async deliver(parcel: DeliveryRequest): Promise<DeliveryResponse> {
    const ring = keyringOf(this.env, "SEALING_KEYS");
    const opened = ring.ok ? await unsealDelivery(ring.value, parcel) : null;
    if (opened === null) return { error: "not_configured" };
    const { query = {}, ...posted } = messageOf(parcel, opened.link);
    const url = withQuery(opened.url, query);
    const message = { id: webhookIdOf(parcel), ...posted };
    const answer = await postSigned(this.env, url, opened.secrets, message, answerOf);
    return { ...answer, ...omitUndefined({ resealed: opened.resealed }) };
  }
}

function messageOf(parcel: DeliveryRequest, link: string | null): WebhookRequest {
  const { format, notice, subscription } = parcel;
  return format === "mcp"
    ? subscriptionMessage(subscription?.id ?? "", occurrenceBody(parcel, link))
    : renderNotice(format, notice, link);
}

/** What whoever registered the address wrote into it stays. */
function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const whole = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (!whole.searchParams.has(name)) whole.searchParams.set(name, value);
  }
  return whole;
}

/** As MCP Events has every message: which subscription it is for, beside the signature. */
export const subscriptionMessage = (id: string, body: object): WebhookRequest => ({
  headers: { "Content-Type": "application/json", "X-MCP-Subscription-Id": id },
  body: JSON.stringify(body),
});

async function answerOf(response: Response): Promise<DeliveryResponse> {
  const retryAfter = response.headers.get("Retry-After");
  await response.body?.cancel();
  return { status: response.status, ...(retryAfter === null ? {} : { retryAfter }) };
}

interface UnsealedDelivery {
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
  readonly link: string | null;
  readonly resealed: Readonly<Record<string, string>> | undefined;
}

/** Null where a key has left SEALING_KEYS. */
async function unsealDelivery(
  ring: Keyring,
  parcel: DeliveryRequest,
): Promise<UnsealedDelivery | null> {
  const { endpointId, notice } = parcel;
  const open = (purpose: string, sealed: string): Promise<Uint8Array | null> =>
    openUnder(ring, purpose, decodeBase64url(sealed) ?? new Uint8Array());
  const url = await open(urlPurpose(endpointId), parcel.url);
  const secrets = await Promise.all(
    parcel.secrets.map((sealed) => open(secretPurpose(endpointId), sealed)),
  );
  const link =
    parcel.link === undefined ? null : await open(linkPurpose(noticeSource(notice)), parcel.link);
  if (url === null || (parcel.link !== undefined && link === null)) return null;
  const known = secrets.filter((secret) => secret !== null);
  if (known.length === 0) return null;
  return {
    url: new URL(decoder.decode(url)),
    secrets: known,
    link: link === null ? null : decoder.decode(link),
    resealed: await reseal(ring, parcel, url, secrets),
  };
}

/** All of it under the first key, where any of it is sealed under another one. */
async function reseal(
  ring: Keyring,
  { endpointId, url: sealedUrl, secrets: sealedSecrets }: DeliveryRequest,
  url: Uint8Array,
  secrets: readonly (Uint8Array | null)[],
): Promise<UnsealedDelivery["resealed"]> {
  const old = [
    [sealedUrl, urlPurpose(endpointId), url] as const,
    ...sealedSecrets.map((one, nth) => [one, secretPurpose(endpointId), secrets[nth]] as const),
  ].filter(([sealed]) => !isSealedUnderFirst(ring, decodeBase64url(sealed) ?? new Uint8Array()));
  const anew = old.map(async ([sealed, purpose, plain]) =>
    plain == null ? [] : [[sealed, await sealText(ring, purpose, plain)] as const],
  );
  const pairs = (await Promise.all(anew)).flat();
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
