/**
 * What clients want of an endpoint, checked and sealed before any object hears of it: the same for the
 * endpoints of a session and of an owner.
 */
import { invalid, type Failure } from "../domain/failure";
import { allowedHosts, webhookUrl } from "../domain/notices/address";
import type { NoticeType } from "../domain/notices/catalogue";
import type { Replay } from "../domain/notices/endpoint";
import type { Format } from "../domain/notices/formats";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import { keysOf, type Keyring } from "./keyring";
import type { Objects } from "./objects";
import { parseWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { drawSecret } from "./secrets";

export interface Wanted {
  readonly url: string;
  readonly notices: readonly NoticeType[];
  readonly format?: Format | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly secret?: string | undefined;
}

export type Changes = {
  readonly [K in Exclude<keyof Wanted, "secret">]?: Wanted[K] | undefined;
} & { readonly status?: "active" | undefined };

export interface ReplayWish {
  readonly since?: string | undefined;
  readonly delivery?: string | undefined;
}

/** The keys to seal with, and the address as it will be called. */
export function readyToSeal(
  env: Env,
  text: string,
): Result<{ readonly ring: Keyring; readonly url: URL }> {
  const ring = keysOf(env, "SEALING_KEYS");
  if (!ring.ok) return ring;
  const url = webhookUrl(text, allowedHosts(env.WEBHOOK_ALLOW));
  return url.ok ? ok({ ring: ring.value, url: url.value }) : refuse(url.error);
}

/** A new one: its address and its secret, given or drawn, both sealed for its object. */
export async function sealedWish(env: Env, hex: string, wanted: Wanted) {
  const ready = readyToSeal(env, wanted.url);
  if (!ready.ok) return ready;
  const given = wanted.secret === undefined ? ok(drawSecret()) : parseWebhookSecret(wanted.secret);
  if (!given.ok) return given;
  const { ring, url } = ready.value;
  const parts = {
    hex,
    url: await sealUrl(ring, hex, url),
    secret: await sealSecret(ring, hex, given.value),
  };
  return ok({ origin: url.origin, parts, secret: given.value });
}

export function replayOf({ since, delivery }: ReplayWish): Result<Replay> {
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
  replay: Replay,
): Promise<Failure | null> {
  if (!("delivery" in replay)) return null;
  const reply = await objects.endpoint<boolean>(hex, (one) => one.hasDelivery(replay.delivery));
  if (reply?.ok === false) return reply.failure;
  return reply?.value === true ? null : { code: "not_found", what: "delivery" };
}
