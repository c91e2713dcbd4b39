/**
 * Makes one attempt at a delivery for an endpoint's object: unseals the address and secrets, builds the
 * message, signs and sends it. It runs in the Worker because the object must hold no secret. Only the
 * status and Retry-After of the response are returned, never its body.
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
  async deliver(request: DeliveryRequest): Promise<DeliveryResponse> {
    const keyring = keyringOf(this.env, "SEALING_KEYS");
    const delivery = keyring.ok ? await unsealDelivery(keyring.value, request) : null;
    if (delivery === null) return { error: "not_configured" };
    const { query = {}, ...content } = messageOf(request, delivery.link);
    const url = withQuery(delivery.url, query);
    const message = { id: webhookIdOf(request), ...content };
    const answer = await postSigned(this.env, url, delivery.secrets, message, answerOf);
    return { ...answer, ...omitUndefined({ resealed: delivery.resealed }) };
  }
}

function messageOf(request: DeliveryRequest, link: string | null): WebhookRequest {
  const { format, notice, subscription } = request;
  return format === "mcp"
    ? subscriptionMessage(subscription?.id ?? "", occurrenceBody(request, link))
    : renderNotice(format, notice, link);
}

/** Parameters that are in the registered address already are kept. */
function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const result = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (!result.searchParams.has(name)) result.searchParams.set(name, value);
  }
  return result;
}

/** Every message of MCP Events names its subscription, in addition to the signature. */
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

/** Null if a key has been removed from SEALING_KEYS. */
async function unsealDelivery(
  keyring: Keyring,
  request: DeliveryRequest,
): Promise<UnsealedDelivery | null> {
  const { endpointId, notice } = request;
  const open = (purpose: string, sealed: string): Promise<Uint8Array | null> =>
    openUnder(keyring, purpose, decodeBase64url(sealed) ?? new Uint8Array());
  const url = await open(urlPurpose(endpointId), request.url);
  const secrets = await Promise.all(
    request.secrets.map((sealed) => open(secretPurpose(endpointId), sealed)),
  );
  const link =
    request.link === undefined ? null : await open(linkPurpose(noticeSource(notice)), request.link);
  if (url === null || (request.link !== undefined && link === null)) return null;
  const validSecrets = secrets.filter((secret) => secret !== null);
  if (validSecrets.length === 0) return null;
  return {
    url: new URL(decoder.decode(url)),
    secrets: validSecrets,
    link: link === null ? null : decoder.decode(link),
    resealed: await reseal(keyring, request, url, secrets),
  };
}

/** Seals again, under the first key, whatever is sealed under another one. */
async function reseal(
  keyring: Keyring,
  { endpointId, url: sealedUrl, secrets: sealedSecrets }: DeliveryRequest,
  url: Uint8Array,
  secrets: readonly (Uint8Array | null)[],
): Promise<UnsealedDelivery["resealed"]> {
  const outdated = [
    [sealedUrl, urlPurpose(endpointId), url] as const,
    ...sealedSecrets.map((one, nth) => [one, secretPurpose(endpointId), secrets[nth]] as const),
  ].filter(([sealed]) => !isSealedUnderFirst(keyring, decodeBase64url(sealed) ?? new Uint8Array()));
  const resealed = outdated.map(async ([sealed, purpose, plain]) =>
    plain == null ? [] : [[sealed, await sealText(keyring, purpose, plain)] as const],
  );
  const pairs = (await Promise.all(resealed)).flat();
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
