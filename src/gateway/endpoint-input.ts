/**
 * Validates and seals what clients send for an endpoint, before any object is called. It is the same for
 * the endpoints of sessions and of owners.
 */
import { invalid, type Failure } from "../domain/failure";
import { allowedHosts, parseWebhookUrl } from "../domain/notices/webhook-url";
import type { NoticeType } from "../domain/notices/catalogue";
import type { DeliveryReplay } from "../domain/notices/endpoint";
import type { Format } from "../domain/notices/formats";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import { keyringOf, type Keyring } from "./keyring";
import type { Objects } from "./objects";
import { parseWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { generateSecret } from "./secrets";

export interface EndpointInput {
  readonly url: string;
  readonly notices: readonly NoticeType[];
  readonly format?: Format | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly secret?: string | undefined;
}

export type EndpointChanges = {
  readonly [K in Exclude<keyof EndpointInput, "secret">]?: EndpointInput[K] | undefined;
} & { readonly status?: "active" | undefined };

export interface ReplayInput {
  readonly since?: string | undefined;
  readonly delivery?: string | undefined;
}

/** The keyring to seal with, and the validated address. */
export function prepareSealing(
  env: Env,
  text: string,
): Result<{ readonly keyring: Keyring; readonly url: URL }> {
  const keyring = keyringOf(env, "SEALING_KEYS");
  if (!keyring.ok) return keyring;
  const url = parseWebhookUrl(text, allowedHosts(env.WEBHOOK_ALLOW));
  return url.ok ? ok({ keyring: keyring.value, url: url.value }) : refuse(url.error);
}

/** A new endpoint: its address and its secret, from the client or generated, both sealed for its object. */
export async function sealEndpoint(env: Env, hex: string, input: EndpointInput) {
  const prepared = prepareSealing(env, input.url);
  if (!prepared.ok) return prepared;
  const secret =
    input.secret === undefined ? ok(generateSecret()) : parseWebhookSecret(input.secret);
  if (!secret.ok) return secret;
  const { keyring, url } = prepared.value;
  const parts = {
    hex,
    url: await sealUrl(keyring, hex, url),
    secret: await sealSecret(keyring, hex, secret.value),
  };
  return ok({ origin: url.origin, parts, secret: secret.value });
}

export function parseReplay({ since, delivery }: ReplayInput): Result<DeliveryReplay> {
  if (delivery === undefined) return ok({ since: Date.parse(since ?? "") });
  const digits = /^dlv_([1-9]\d{0,14})$/.exec(delivery)?.[1];
  return digits === undefined
    ? refuse(invalid("delivery must be a delivery's id", "delivery"))
    : ok({ delivery: Number(digits) });
}

/** The delivery to replay does not exist: it was never created, or was evicted. */
export async function deliveryProblem(
  objects: Objects,
  hex: string,
  replay: DeliveryReplay,
): Promise<Failure | null> {
  if (!("delivery" in replay)) return null;
  const reply = await objects.endpoint<boolean>(hex, (one) => one.hasDelivery(replay.delivery));
  if (reply?.ok === false) return reply.failure;
  return reply?.value === true ? null : { code: "not_found", what: "delivery" };
}
