/**
 * The endpoints of an owner, in the owner's directory: their settings, and forwarding of notices to
 * them. The directory stores no notice: a session sends again until every endpoint that wants one
 * has acknowledged it, and an endpoint recognizes a repeated notice by session and seq.
 */
import type { EndpointStatus, EndpointView } from "../domain/notices/endpoint";
import { LIMITS } from "../domain/limits";
import type { ForwardedNotice, OutgoingNotice } from "../domain/notices/notice";
import {
  decideEndpoint,
  hasEnded,
  outgoingNoticesFor,
  suspendedNotice,
  type OwnerEndpointCommand,
} from "../domain/notices/owner-endpoint";
import { viewEndpoint } from "../domain/notices/stored-endpoint";
import { endsSubscription, terminatedMessage } from "../domain/notices/subscription";
import { ok, type Result } from "../domain/result";
import type { Env } from "../env";
import type { EndpointEntry, OwnerEndpointStore } from "../storage/owner-endpoint-store";
import type { SubscriptionStatus } from "./directory-messages";
import { endpointAt } from "./endpoint-calls";

export class OwnerEndpoints {
  readonly #env: () => Env;
  readonly #store: OwnerEndpointStore;

  constructor(env: () => Env, store: OwnerEndpointStore) {
    this.#env = env;
    this.#store = store;
  }

  /** The endpoints that were not removed, oldest first. */
  list(now: number): readonly EndpointView[] {
    const visible = this.#visible().map(({ endpoint }) => endpoint);
    return visible
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .map((one) => viewEndpoint(hasEnded(one, now) ? { ...one, status: "ended" } : one));
  }

  /** Does the owner have this subscription, and was its address verified before? */
  subscription(hex: string, address: string, now: number): SubscriptionStatus {
    const active = this.#visible().filter(({ endpoint }) => !hasEnded(endpoint, now));
    return {
      isActive: active.some(({ endpoint }) => endpoint.hex === hex),
      isVerified: active.some(
        ({ endpoint }) => endpoint.settings.subscription?.address === address,
      ),
    };
  }

  /** Stored here first; `sendPending` updates the endpoint's object. */
  decide(owner: string, command: OwnerEndpointCommand, now: number): Result<EndpointView> {
    const visible = this.#visible();
    const entry = visible.find(({ endpoint }) => endpoint.hex === command.hex);
    const isSubscribing = command.kind === "subscribe";
    if (isSubscribing && entry === undefined) this.#evictOldestEnded(now);
    const count = this.#visible().filter(
      ({ endpoint }) => (endpoint.settings.subscription !== undefined) === isSubscribing,
    ).length;
    const decided = decideEndpoint(owner, command, entry?.endpoint ?? null, count, now);
    if (!decided.ok) return decided;
    const { endpoint, once } = decided.value;
    // An endpoint that is being removed has a version too, and its object drops older updates.
    const removed = entry === undefined ? this.#store.entries().get(command.hex) : undefined;
    const version = endpoint.version + (removed?.endpoint.version ?? 0);
    this.#store.save({
      endpoint: { ...endpoint, version },
      pending: { ...entry?.pending, ...once },
    });
    return ok(viewEndpoint(endpoint));
  }

  /** At the limit, the oldest ended subscription is removed. */
  #evictOldestEnded(now: number): void {
    const all = this.#visible().filter(
      ({ endpoint }) => endpoint.settings.subscription !== undefined,
    );
    if (all.length < LIMITS.ownerSubscriptions) return;
    const [oldest] = all
      .filter(({ endpoint }) => hasEnded(endpoint, now))
      .toSorted((a, b) => a.endpoint.createdAt - b.endpoint.createdAt);
    if (oldest !== undefined) this.#store.save({ ...oldest, pending: { isRemoved: true } });
  }

  get hasPending(): boolean {
    return [...this.#store.entries().values()].some(({ pending }) => pending !== null);
  }

  /** Sends every object its pending update; failed ones stay pending. */
  async sendPending(): Promise<void> {
    const entries = [...this.#store.entries().values()];
    await Promise.allSettled(entries.map((entry) => this.#sendOne(entry)));
  }

  /** Throws if an endpoint did not acknowledge: then the session sends all of it again. */
  async forward(notices: readonly ForwardedNotice[], now: number): Promise<void> {
    if (notices.length === 0) return;
    const contents = notices.map(({ notice }) => notice);
    await each(this.#receivers(now), async (entry) => {
      const { subscription } = entry.endpoint.settings;
      const isLast = subscription !== undefined && endsSubscription(subscription, contents);
      const outgoing = [
        ...outgoingNoticesFor(entry.endpoint, notices),
        ...(isLast ? terminationOf(entry, now) : []),
      ];
      if (outgoing.length === 0) return;
      // The endpoint needs its settings before its first notice.
      await this.#sendOne(entry);
      await endpointAt(this.#env(), entry.endpoint.hex).tell(outgoing);
      if (isLast) this.#end(entry);
    });
  }

  /** The session is purged. Throws if an endpoint did not acknowledge. */
  async forget(sessionId: string, now: number): Promise<void> {
    const ended = this.#receivers(now).filter(
      ({ endpoint }) => endpoint.settings.subscription?.session === sessionId,
    );
    await each(ended, async (entry) => {
      await endpointAt(this.#env(), entry.endpoint.hex).tell(terminationOf(entry, now));
      this.#end(entry);
    });
    await each(this.#visible(), ({ endpoint }) =>
      endpointAt(this.#env(), endpoint.hex).forget(sessionId),
    );
  }

  /** Its object still tells the subscriber; nothing else is sent to it. */
  #end({ endpoint }: EndpointEntry): void {
    const current = this.#store.entries().get(endpoint.hex);
    if (current?.endpoint.version !== endpoint.version) return;
    this.#store.save({ ...current, endpoint: { ...current.endpoint, status: "ended" } });
  }

  #receivers(now: number): readonly EndpointEntry[] {
    return this.#visible().filter(
      ({ endpoint }) => endpoint.settings.subscription === undefined || !hasEnded(endpoint, now),
    );
  }

  /**
   * The endpoint repeats the call until it returns, so the others are notified before the status is
   * stored.
   */
  async recordStatus(hex: string, status: EndpointStatus, now: number): Promise<void> {
    const entry = this.#store.entries().get(hex);
    if (entry === undefined || status === "active" || entry.endpoint.status === status) return;
    if (status === "suspended") {
      await this.forward([{ notice: suspendedNotice(entry.endpoint, now), named: [] }], now);
    }
    const current = this.#store.entries().get(hex);
    // Changed or removed meanwhile: then the reported status is outdated.
    if (current?.endpoint.version !== entry.endpoint.version) return;
    this.#store.save({ ...current, endpoint: { ...current.endpoint, status } });
  }

  async #sendOne({ endpoint, pending }: EndpointEntry): Promise<void> {
    if (pending === null) return;
    const { hex, owner, version, settings, createdAt, endsAt = null } = endpoint;
    const object = endpointAt(this.#env(), hex);
    const { isRemoved = false, ...once } = pending;
    if (isRemoved) await object.remove();
    else {
      const update = { version, settings, home: { owner }, createdAt, endsAt, isEnded: false };
      await object.put({ ...update, ...once });
    }
    const current = this.#store.entries().get(hex);
    if (current?.endpoint.version !== version) return;
    if (isRemoved) this.#store.remove(hex);
    else this.#store.save({ ...current, pending: null });
  }

  #visible(): readonly EndpointEntry[] {
    return [...this.#store.entries().values()].filter(({ pending }) => pending?.isRemoved !== true);
  }
}

const terminationOf = ({ endpoint }: EndpointEntry, now: number): readonly OutgoingNotice[] => {
  const { subscription, notices } = endpoint.settings;
  const [name] = notices;
  if (subscription === undefined || name === undefined) return [];
  return [terminatedMessage(subscription, name, endpoint.version, now)];
};

/** Calls all of them, even if some fail. */
async function each<T>(all: readonly T[], call: (one: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(all.map((one) => call(one)));
  const failed = results.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
