/**
 * Subscriptions of MCP Events, by an owner's key: the address is checked and challenged, what is secret
 * sealed, and the rest is an endpoint of the owner's directory. Which endpoint follows from who
 * subscribes, to what and where to, so that subscribing again finds the same one.
 */
import { invalid, type Failure } from "../domain/failure";
import type { NoticeType } from "../domain/notices/catalogue";
import { gapMessage, subscriptionEndsAt, type Subscription } from "../domain/notices/subscription";
import { LIMITS } from "../domain/limits";
import { isTerminal } from "../domain/session/state";
import type { EndpointView } from "../domain/notices/endpoint";
import type { OutgoingNotice } from "../domain/notices/notice";
import type { Reply } from "../object/messages";
import { challengeReceiver, type CallbackProblem } from "./challenge";
import { prepareSealing } from "./endpoint-input";
import { Gateway, type AsyncReply, type GatewayReply } from "./gateway";
import { toNotices, noticesAfter, type NoticePage } from "./notice-log";
import { commandEndpoint } from "./owner-endpoints";
import { OwnerGateway } from "./owner-gateway";
import type { Holder } from "./owner-keys";
import type { UnverifiedCredential } from "./session-calls";
import { parseWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { hashSubscribed, hashSubscription } from "./secrets";
import { UseCases } from "./session-calls";

/** What a subscription is to: these four make it the one it is. */
interface SubscriptionKey {
  readonly name: NoticeType;
  readonly session?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly url: string;
}

interface SubscriptionInput extends SubscriptionKey {
  readonly secret: string;
  readonly cursor: number | null;
  readonly maxAgeMs: number | undefined;
  readonly ttlMs: number | null | undefined;
}

interface SubscriptionAnswer {
  readonly id: string;
  readonly refreshBefore: string | null;
  readonly cursor: string | null;
  readonly truncated: boolean;
}

/** The address did not show that it wants this. */
interface ChallengeRefusal {
  readonly unwilling: CallbackProblem;
}

const refusal = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure,
});
const UNKNOWN_SUBSCRIPTION = refusal({ code: "not_found", what: "subscription" });

export class Subscriptions extends UseCases {
  readonly #owners = new OwnerGateway(this.env, this.caller);
  readonly #gateway = new Gateway(this.env, this.caller);

  async subscribe(
    holder: Holder,
    wish: SubscriptionInput,
  ): AsyncReply<SubscriptionAnswer | ChallengeRefusal> {
    const ready = prepareSealing(this.env, wish.url);
    if (!ready.ok) return refusal(ready.error);
    const secret = parseWebhookSecret(wish.secret);
    if (!secret.ok) return refusal(secret.error);
    const past = await this.#missedNotices(holder, wish);
    if (past?.ok === false) return past;
    const { ring, url } = ready.value;
    const { id, hex } = this.#identify(holder, wish, url);
    const owner = holder.owner.name;
    const subscription: Subscription = {
      id,
      address: hashSubscribed(url.href),
      secret: hashSubscribed(secret.value),
      ...(wish.session === undefined ? {} : { session: wish.session }),
    };
    const { objects } = this.calls;
    const known = await objects.ownerDirectory(owner, "subscription", hex, subscription.address);
    if (!known.ok) return known;
    if (!known.value.isVerified) {
      const unwilling = await this.#challenge(holder, url, secret.value, id);
      if (unwilling !== null) return unwilling;
    }
    const endsAt = subscriptionEndsAt(wish.ttlMs, Date.now());
    const settings = {
      notices: [wish.name],
      format: "mcp",
      labels: wish.labels ?? {},
      origin: url.origin,
      url: await sealUrl(ring, hex, url),
      secrets: [{ sealed: await sealSecret(ring, hex, secret.value), until: null }],
      subscription,
    } as const;
    const kept = await commandEndpoint(this.calls, holder, {
      kind: "subscribe",
      hex,
      settings,
      endsAt,
    });
    if (!kept.ok) return kept;
    const refreshBefore = endsAt === null ? null : new Date(endsAt).toISOString();
    if (past === null) {
      return { ok: true, value: { id, refreshBefore, cursor: null, truncated: false } };
    }
    const isAnew = !known.value.isActive;
    const cursor = await this.#replay(hex, subscription, wish, past.value, isAnew);
    if (!cursor.ok) return cursor;
    const { truncated } = past.value.page;
    return { ok: true, value: { id, refreshBefore, cursor: String(cursor.value), truncated } };
  }

  /** Null where the address wants it. Addresses that do not are counted: each was asked by this server. */
  async #challenge(
    { owner }: Holder,
    url: URL,
    secret: Uint8Array,
    id: string,
  ): Promise<GatewayReply<ChallengeRefusal> | null> {
    const barred = this.calls.rateLimiter.blockProblem("challenge", owner.name);
    if (barred !== null) return refusal(barred);
    const unwilling = await challengeReceiver(this.env, url, secret, id);
    if (unwilling === null) return null;
    const limited = await this.calls.rateLimiter.count("challenge", owner.name);
    const over = this.calls.rateLimiter.block("challenge", limited, owner.name);
    return over === null ? { ok: true, value: { unwilling } } : refusal(over);
  }

  /** Found by what it is to, never by its id. */
  async unsubscribe(holder: Holder, key: SubscriptionKey): Promise<Reply<EndpointView>> {
    const url = URL.canParse(key.url) ? new URL(key.url) : null;
    if (url === null) return UNKNOWN_SUBSCRIPTION;
    url.hash = "";
    const { hex } = this.#identify(holder, key, url);
    const removed = await commandEndpoint(this.calls, holder, { kind: "remove", hex });
    return removed.ok || removed.failure.code !== "not_found" ? removed : UNKNOWN_SUBSCRIPTION;
  }

  #identify({ owner }: Holder, { name, session, labels }: SubscriptionKey, url: URL) {
    const hash = hashSubscription(owner.name, url.href, name, { session, labels });
    return { id: `sub_${hash}`, hex: this.calls.objects.namedEndpoint(hash) };
  }

  /** What of its session the subscriber has missed; null where it is to all sessions. */
  async #missedNotices(
    holder: Holder,
    wish: SubscriptionInput,
  ): Promise<GatewayReply<MissedNotices> | null> {
    const { session, cursor, name, maxAgeMs } = wish;
    if (session === undefined) {
      return cursor === null
        ? null
        : refusal(
            invalid("a cursor needs session_id: it is a place in one session's log", "cursor"),
          );
    }
    const presented = await this.#owners.credentialFromKey(holder, session);
    if (!presented.ok) return refusal(presented.error);
    const query = { name, cursor, maxAgeMs, limit: LIMITS.pageEvents, waitMs: 0 };
    const first = await noticesAfter(this.#gateway, presented.value, query);
    if (!first.ok) return first;
    let page: NoticePage = first.value;
    if (isTerminal(page.session.state))
      return refusal({ code: "not_found", what: "living session" });
    // A log is bounded, so this ends.
    while (page.hasMore) {
      const from = { ...query, cursor: page.cursor };
      const more = await noticesAfter(this.#gateway, presented.value, from);
      if (!more.ok) return more;
      page = {
        ...more.value,
        events: [...page.events, ...more.value.events],
        truncated: page.truncated,
      };
    }
    return { ok: true, value: { credential: presented.value, holder, page } };
  }

  /**
   * Told as if it had been subscribed all along. What its endpoint knows already is told to nobody; one
   * that had lapsed or ended begins at the cursor, whatever was told before.
   */
  async #replay(
    hex: string,
    subscription: Subscription,
    { name }: SubscriptionInput,
    { page, credential, holder }: MissedNotices,
    isAnew: boolean,
  ): Promise<Reply<number>> {
    const row = await this.#owners.row(holder, credential);
    const waiting = row.ok ? (row.value?.waiting ?? null) : null;
    const start = page.events[0]?.seq ?? page.cursor;
    const rings: readonly OutgoingNotice[] = [
      ...(page.truncated ? [gapMessage(subscription, name, start - 1, Date.now())] : []),
      ...toNotices(page.session, page.events, waiting).map(({ type, timestamp, data }) => ({
        notice: { type, timestamp, data },
      })),
    ];
    const asked = this.calls.objects.endpoint(hex, async (endpoint) => {
      if (rings.length > 0) await endpoint.tell(rings, isAnew);
      return endpoint.settledSeq(credential.sessionId);
    });
    const settled = await (asked ?? UNKNOWN_SUBSCRIPTION);
    return settled.ok ? { ok: true, value: settled.value ?? page.cursor } : settled;
  }
}

interface MissedNotices {
  readonly holder: Holder;
  readonly credential: UnverifiedCredential;
  readonly page: NoticePage;
}
