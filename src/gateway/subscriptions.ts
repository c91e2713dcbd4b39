/**
 * Subscriptions of MCP Events, by an owner's key: the address is validated and challenged, secrets are
 * sealed, and the result is stored as an endpoint of the owner's directory. The endpoint's id follows
 * from the owner, the event, its arguments and the address, so that subscribing again finds the same
 * one.
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

/** These four members identify a subscription of an owner. */
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

/** The address did not repeat the challenge. */
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
    input: SubscriptionInput,
  ): AsyncReply<SubscriptionAnswer | ChallengeRefusal> {
    const prepared = prepareSealing(this.env, input.url);
    if (!prepared.ok) return refusal(prepared.error);
    const secret = parseWebhookSecret(input.secret);
    if (!secret.ok) return refusal(secret.error);
    const missed = await this.#missedNotices(holder, input);
    if (missed?.ok === false) return missed;
    const { keyring, url } = prepared.value;
    const { id, hex } = this.#identify(holder, input, url);
    const owner = holder.owner.name;
    const subscription: Subscription = {
      id,
      address: hashSubscribed(url.href),
      secret: hashSubscribed(secret.value),
      ...(input.session === undefined ? {} : { session: input.session }),
    };
    const { objects } = this.calls;
    const status = await objects.ownerDirectory(owner, "subscription", hex, subscription.address);
    if (!status.ok) return status;
    if (!status.value.isVerified) {
      const unwilling = await this.#challenge(holder, url, secret.value, id);
      if (unwilling !== null) return unwilling;
    }
    const endsAt = subscriptionEndsAt(input.ttlMs, Date.now());
    const settings = {
      notices: [input.name],
      format: "mcp",
      labels: input.labels ?? {},
      origin: url.origin,
      url: await sealUrl(keyring, hex, url),
      secrets: [{ sealed: await sealSecret(keyring, hex, secret.value), until: null }],
      subscription,
    } as const;
    const saved = await commandEndpoint(this.calls, holder, {
      kind: "subscribe",
      hex,
      settings,
      endsAt,
    });
    if (!saved.ok) return saved;
    const refreshBefore = endsAt === null ? null : new Date(endsAt).toISOString();
    if (missed === null) {
      return { ok: true, value: { id, refreshBefore, cursor: null, truncated: false } };
    }
    const isRestart = !status.value.isActive;
    const cursor = await this.#replay(hex, subscription, input, missed.value, isRestart);
    if (!cursor.ok) return cursor;
    const { truncated } = missed.value.page;
    return { ok: true, value: { id, refreshBefore, cursor: String(cursor.value), truncated } };
  }

  /** Null if the address accepts. Others are counted: each costs a request of this server. */
  async #challenge(
    { owner }: Holder,
    url: URL,
    secret: Uint8Array,
    id: string,
  ): Promise<GatewayReply<ChallengeRefusal> | null> {
    const blocked = this.calls.rateLimiter.blockProblem("challenge", owner.name);
    if (blocked !== null) return refusal(blocked);
    const unwilling = await challengeReceiver(this.env, url, secret, id);
    if (unwilling === null) return null;
    const limited = await this.calls.rateLimiter.count("challenge", owner.name);
    const exceeded = this.calls.rateLimiter.block("challenge", limited, owner.name);
    return exceeded === null ? { ok: true, value: { unwilling } } : refusal(exceeded);
  }

  /** Found by its key, never by its id. */
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

  /** The notices of its session that the subscriber has missed; null if it is for all sessions. */
  async #missedNotices(
    holder: Holder,
    input: SubscriptionInput,
  ): Promise<GatewayReply<MissedNotices> | null> {
    const { session, cursor, name, maxAgeMs } = input;
    if (session === undefined) {
      return cursor === null
        ? null
        : refusal(
            invalid("a cursor needs session_id: it is a place in one session's log", "cursor"),
          );
    }
    const credential = await this.#owners.credentialFromKey(holder, session);
    if (!credential.ok) return refusal(credential.error);
    const query = { name, cursor, maxAgeMs, limit: LIMITS.pageEvents, waitMs: 0 };
    const first = await noticesAfter(this.#gateway, credential.value, query);
    if (!first.ok) return first;
    let page: NoticePage = first.value;
    if (isTerminal(page.session.state))
      return refusal({ code: "not_found", what: "living session" });
    // A log is bounded, so this ends.
    while (page.hasMore) {
      const from = { ...query, cursor: page.cursor };
      const more = await noticesAfter(this.#gateway, credential.value, from);
      if (!more.ok) return more;
      page = {
        ...more.value,
        events: [...page.events, ...more.value.events],
        truncated: page.truncated,
      };
    }
    return { ok: true, value: { credential: credential.value, holder, page } };
  }

  /**
   * Sends the missed notices to the endpoint, which drops those that it has already. A subscription that
   * had lapsed or ended starts at the cursor, whatever was sent before.
   */
  async #replay(
    hex: string,
    subscription: Subscription,
    { name }: SubscriptionInput,
    { page, credential, holder }: MissedNotices,
    isRestart: boolean,
  ): Promise<Reply<number>> {
    const row = await this.#owners.row(holder, credential);
    const waiting = row.ok ? (row.value?.waiting ?? null) : null;
    const start = page.events[0]?.seq ?? page.cursor;
    const outgoing: readonly OutgoingNotice[] = [
      ...(page.truncated ? [gapMessage(subscription, name, start - 1, Date.now())] : []),
      ...toNotices(page.session, page.events, waiting).map(({ type, timestamp, data }) => ({
        notice: { type, timestamp, data },
      })),
    ];
    const reply = this.calls.objects.endpoint(hex, async (endpoint) => {
      if (outgoing.length > 0) await endpoint.tell(outgoing, isRestart);
      return endpoint.settledSeq(credential.sessionId);
    });
    const settled = await (reply ?? UNKNOWN_SUBSCRIPTION);
    return settled.ok ? { ok: true, value: settled.value ?? page.cursor } : settled;
  }
}

interface MissedNotices {
  readonly holder: Holder;
  readonly credential: UnverifiedCredential;
  readonly page: NoticePage;
}
