/**
 * Sends the due deliveries of one endpoint. First attempts of one session go one after another, in
 * the order of their seq; everything else goes in parallel. Only this instance knows what is in
 * flight: if it ends, the alarm finds the rows unchanged and sends again, which receivers detect by
 * the id.
 */
import { omitUndefined } from "../domain/result";
import { endpointIdFromHex, signingSecrets, withResealed } from "../domain/notices/endpoint";
import type { EndpointStatus } from "../domain/notices/endpoint";
import {
  endsEndpoint,
  isSuccess,
  isUnwanted,
  nextAttemptAt,
  SUSPEND_AFTER_MS,
  type DeliveryResponse,
} from "../domain/notices/delivery";
import { noticeSource } from "../domain/notices/notice";
import { gapMessageFor, type Subscription } from "../domain/notices/subscription";
import type { Delivery, DeliveryStore } from "../storage/delivery-store";
import type { EndpointRow } from "../storage/endpoint-row";
import type { Env } from "../env";
import type { WebhookSenderRpc } from "./endpoint-messages";
import { measureDelivery } from "./measure";

/** Concurrent requests to one receiver. */
const MAX_CONCURRENT = 8;
/** Rows read to find deliveries that may be sent now. */
const LOOK_AHEAD = 200;

interface DeliveryContext {
  readonly objectIdHex: string;
  readonly store: DeliveryStore;
  readonly sender: WebhookSenderRpc;
  readonly delays: readonly number[];
  readonly random: () => number;
  readonly isListed: IsListed;
  readonly env: Pick<Env, "LOG">;
}

/** Does the setting still list this owner, or an unexpired key with this hash? */
export type IsListed = (what: { readonly owner: string } | { readonly key: string }) => boolean;

export class Deliverer {
  readonly #context: () => DeliveryContext;
  /** By delivery number; with the session if it is a first attempt. */
  readonly #inFlight = new Map<
    number,
    { readonly first: string | null; readonly done: Promise<void> }
  >();

  constructor(context: () => DeliveryContext) {
    this.#context = context;
  }

  /** Starts the deliveries that may be sent now. */
  start(): void {
    const context = this.#context();
    const now = Date.now();
    const endpoint = context.store.endpoint();
    if (endpoint === null || !canDeliver(endpoint, now, context.isListed)) return;
    const waiting = new Set([...this.#inFlight.values()].map(({ first }) => first));
    for (const delivery of context.store.due(now, LOOK_AHEAD)) {
      if (this.#inFlight.size >= MAX_CONCURRENT) return;
      if (this.#inFlight.has(delivery.number)) continue;
      const first = delivery.attempts.length === 0 ? noticeSource(delivery.notice) : null;
      if (first !== null && waiting.has(first)) continue;
      if (first !== null) waiting.add(first);
      const done = this.#attempt(context, endpoint, delivery).finally(() => {
        this.#inFlight.delete(delivery.number);
        this.start();
      });
      this.#inFlight.set(delivery.number, { first, done });
    }
  }

  /** Resolves when nothing is in flight. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) {
      await Promise.allSettled([...this.#inFlight.values()].map(({ done }) => done));
    }
  }

  async #attempt(
    context: DeliveryContext,
    endpoint: EndpointRow,
    delivery: Delivery,
  ): Promise<void> {
    const { store, sender, objectIdHex, delays, random } = context;
    const { format, url, secrets, subscription } = endpoint.settings;
    const at = Date.now();
    const { notice, link, control } = delivery;
    const cursor = cursorOf(store, subscription, delivery);
    const endpointId = endpointIdFromHex(objectIdHex);
    const answer = await sender
      .deliver({
        endpointId,
        format,
        url,
        secrets: signingSecrets(secrets, at),
        notice,
        ...omitUndefined({ link, control, subscription, cursor }),
      })
      .catch((): DeliveryResponse => ({ error: "unreachable" }));
    const ended = store.transaction(() =>
      recordAnswer(store, delivery, answer, at, delays, random()),
    );
    if (ended === null) return;
    const { status, error } = answer;
    const { origin } = endpoint.settings;
    measureDelivery(context.env, { endpointId, origin, status, error, ...ended });
  }
}

/** The subscriber's position after this delivery, if the subscription is to one session. */
function cursorOf(store: DeliveryStore, subscription: Subscription | undefined, { seq }: Delivery) {
  if (subscription?.session === undefined) return undefined;
  // This delivery is still open itself; earlier open ones hold the cursor back.
  const settled = store.settledSeq(subscription.session) ?? seq;
  return String(settled === seq - 1 ? seq : Math.min(settled, seq));
}

/** False if the endpoint is not active, its time has ended, or its key or owner is no longer listed. */
export function canDeliver(
  { status, endsAt, home }: EndpointRow,
  now: number,
  isListed: IsListed,
): boolean {
  if (status !== "active" || (endsAt !== null && now >= endsAt)) return false;
  if ("owner" in home) return isListed({ owner: home.owner });
  return home.key === undefined || isListed({ key: home.key });
}

/** Deliveries of a suspended subscription wait until it is refreshed. */
export const holdsDeliveries = ({ status, settings }: EndpointRow): boolean =>
  status === "suspended" && settings.subscription !== undefined;

function recordAnswer(
  store: DeliveryStore,
  delivery: Delivery,
  answer: DeliveryResponse,
  at: number,
  delays: readonly number[],
  random: number,
): { readonly outcome: Outcome; readonly became: EndpointStatus | undefined } | null {
  const { attemptCount, seq, control } = delivery;
  const stored = store.endpoint();
  // Removed while the request was in flight.
  if (stored === null) return null;
  const endpoint = resealedIn(store, stored, answer);
  const now = Date.now();
  const { subscription } = endpoint.settings;
  const delivered = isSuccess(answer);
  const isRefused = subscription !== undefined && isUnwanted(answer);
  const hasEnded =
    (subscription === undefined && endsEndpoint(answer)) || endpoint.status !== "active";
  const isLast = delivered || isRefused || hasEnded;
  const nextAt = isLast ? null : nextAttemptAt(attemptCount + 1, answer, now, random, delays);
  const isHeld = holdsDeliveries(endpoint) && !delivered && !isRefused;
  const { status, error } = answer;
  const attempt = { at: new Date(at).toISOString(), ...omitUndefined({ status, error }) };
  const state = delivered ? "delivered" : isHeld || nextAt !== null ? "pending" : "given_up";
  store.record(delivery, attempt, attemptCount + 1, state, nextAt);
  // A receiver that answers 410 knows the event and misses nothing.
  const isKnown = delivered || endsEndpoint(answer);
  const isLost = !isKnown && nextAt === null && !hasEnded && control === undefined;
  // The subscriber continues after it, and has to know that it was lost.
  const missed = isLost ? gapMessageFor(endpoint.settings, seq, now) : null;
  if (missed !== null) store.add(missed, "pending", now, now);
  const outcome: Outcome = state === "pending" ? "failed" : state;
  const changed = afterAnswer(endpoint, answer, now);
  const became = changed.status === endpoint.status ? undefined : changed.status;
  if (changed === endpoint) return { outcome, became };
  store.save(changed);
  if (holdsDeliveries(changed)) store.holdPending();
  else if (changed.status !== "active") store.giveUpPending();
  return { outcome, became };
}

/**
 * An old key can be removed from the setting once everything stored is sealed under a newer one.
 */
function resealedIn(
  store: DeliveryStore,
  stored: EndpointRow,
  { resealed }: DeliveryResponse,
): EndpointRow {
  if (resealed === undefined) return stored;
  const endpoint = { ...stored, settings: withResealed(stored.settings, resealed) };
  store.save(endpoint);
  return endpoint;
}

type Outcome = "delivered" | "failed" | "given_up";

/**
 * 410 ends the endpoint, five days without a success suspend it; both are reported to its home. A
 * subscription is ended by its subscriber: there a refusal is an answer about one event.
 */
function afterAnswer(endpoint: EndpointRow, answer: DeliveryResponse, now: number): EndpointRow {
  if (endpoint.status !== "active") return endpoint;
  const isRefusal = endpoint.settings.subscription !== undefined && isUnwanted(answer);
  if (isSuccess(answer) || isRefusal) {
    return endpoint.failingSince === null ? endpoint : { ...endpoint, failingSince: null };
  }
  if (endsEndpoint(answer)) return { ...endpoint, status: "ended", unreported: "ended" };
  const failingSince = endpoint.failingSince ?? now;
  if (now - failingSince >= SUSPEND_AFTER_MS) {
    return { ...endpoint, failingSince, status: "suspended", unreported: "suspended" };
  }
  return endpoint.failingSince === null ? { ...endpoint, failingSince } : endpoint;
}
