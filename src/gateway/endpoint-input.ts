/**
 * What clients want of an endpoint, checked and sealed before any object hears of it: the same for the
 * endpoints of a session and of an owner.
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

/** The keys to seal with, and the address as it will be called. */
export function prepareSealing(
  env: Env,
  text: string,
): Result<{ readonly ring: Keyring; readonly url: URL }> {
  const ring = keyringOf(env, "SEALING_KEYS");
  if (!ring.ok) return ring;
  const url = parseWebhookUrl(text, allowedHosts(env.WEBHOOK_ALLOW));
  return url.ok ? ok({ ring: ring.value, url: url.value }) : refuse(url.error);
}

/** A new one: its address and its secret, given or drawn, both sealed for its object. */
export async function sealEndpoint(env: Env, hex: string, wanted: EndpointInput) {
  const ready = prepareSealing(env, wanted.url);
  if (!ready.ok) return ready;
  const given =
    wanted.secret === undefined ? ok(generateSecret()) : parseWebhookSecret(wanted.secret);
  if (!given.ok) return given;
  const { ring, url } = ready.value;
  const parts = {
    hex,
    url: await sealUrl(ring, hex, url),
    secret: await sealSecret(ring, hex, given.value),
  };
  return ok({ origin: url.origin, parts, secret: given.value });
}

export function parseReplay({ since, delivery }: ReplayInput): Result<DeliveryReplay> {
  if (delivery === undefined) return ok({ since: Date.parse(since ?? "") });
  const digits = /^dlv_([1-9]\d{0,14})$/.exec(delivery)?.[1];
  return digits === undefined
    ? refuse(invalid("delivery must be a delivery's id", "delivery"))
    : ok({ delivery: Number(digits) });
}

/** What is asked for again is not there: never made, or gone to make room. */
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
