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
): Result<{ readonly ring: Keyring; readonly url: URL }, Failure> {
  const ring = keysOf(env, "SEALING_KEYS");
  if (!ring.ok) return ring;
  const url = webhookUrl(text, allowedHosts(env.WEBHOOK_ALLOW));
  return url.ok ? ok({ ring: ring.value, url: url.value }) : refuse(url.error);
}

export function replayOf({ since, delivery }: ReplayWish): Result<Replay, Failure> {
  if (delivery === undefined) return ok({ since: Date.parse(since ?? "") });
  const digits = /^dlv_([1-9]\d{0,14})$/.exec(delivery)?.[1];
  return digits === undefined
    ? refuse(invalid("delivery must be a delivery's id", "delivery"))
    : ok({ delivery: Number(digits) });
}
