/**
 * The object of one endpoint: stores notices and delivers them. It owns nothing of a session and
 * holds no plain secret: addresses, secrets and links are sealed bytes that only the Worker opens,
 * which also makes the connection. Callers wait for its rows and never for a receiver.
 */
import type { EndpointFailure } from "../domain/notices/endpoint";
import type { OutgoingNotice } from "../domain/notices/notice";
import { gapMessageFor } from "../domain/notices/subscription";
import { LIMITS } from "../domain/limits";
import { isKeyListed, isOwnerRemoved } from "../domain/owners/owners";
import { attemptDelays, attemptTimeoutMs } from "../env";
import { DeliveryStore, type Delivery } from "../storage/delivery-store";
import { MaskingSecret } from "../storage/masking-secret";
import { AlarmClock } from "./alarm-clock";
import { Deliverer, holdsDeliveries, canDeliver, type IsListed } from "./deliverer";
import type {
  WebhookSenderRpc,
  DeliveryPage,
  EndpointUpdate,
  NoticeEndpointRpc,
  HomeView,
} from "./endpoint-messages";
import { Masking } from "./masking";
import { reportStatus } from "./endpoint-calls";
import { StoredObject } from "./stored-object";

/** Added to the timeout of an attempt: what is still in flight then was lost with its instance. */
const LOST_AFTER_MS = 5_000;
/** Number of deliveries that are searched for the last attempt. */
const MAX_SCANNED = 20;
/** Delay before a status is reported again to a home that did not answer. */
const REPORT_RETRY_MS = 5_000;

export class NoticeEndpoint extends StoredObject implements NoticeEndpointRpc {
  readonly #store = new DeliveryStore(this.sql, (label, bytes) =>
    this.#masking().mask(label, bytes),
  );
  readonly #clock = new AlarmClock(this.ctx.storage, this.meter);
  readonly #secret = new MaskingSecret(this.sql);
  #mask: Masking | null = null;
  /** Read each time: the setting may have changed since the endpoint was created. */
  readonly #isListed: IsListed = (what) =>
    "key" in what
      ? isKeyListed(this.env.OWNERS, what.key, Date.now())
      : !isOwnerRemoved(this.env.OWNERS, what.owner);
  readonly #deliverer = new Deliverer(() => ({
    objectIdHex: this.ctx.id.toString(),
    store: this.#store,
    sender: senderOf(this.ctx),
    delays: attemptDelays(this.env),
    random: Math.random,
    isListed: this.#isListed,
    env: this.env,
  }));

  async put(update: EndpointUpdate): Promise<void> {
    const now = Date.now();
    const before = this.#store.endpoint();
    if (before !== null && before.version >= update.version) return;
    this.#masking();
    this.#store.transaction(() => {
      const { isEnded, isResumed = false, replay, ...row } = update;
      const isActive = before === null || before.status === "active" || isResumed;
      // Only a subscription restarts under its old id.
      const isRestart = isResumed && update.settings.subscription !== undefined;
      const hasEnded = before?.status === "ended" && !isRestart;
      const status = isEnded || hasEnded ? "ended" : isActive ? "active" : "suspended";
      const failingSince = isResumed ? null : (before?.failingSince ?? null);
      const unreported = before?.unreported ?? null;
      this.#store.save({ ...row, status, failingSince, unreported });
      if (status === "active") this.#store.release(now);
      if (status === "ended") this.#store.giveUpPending();
      else if (replay !== undefined && "delivery" in replay) {
        this.#store.replayOne(replay.delivery, now);
      } else if (replay !== undefined) this.#store.replaySince(replay.since, now);
    });
    await this.#deliver();
  }

  async tell(notices: readonly OutgoingNotice[], isRestart = false): Promise<void> {
    const now = Date.now();
    const endpoint = this.#store.endpoint();
    // Ended or removed: acknowledged and dropped.
    if (endpoint === null || endpoint.status === "ended") return;
    const isMore = this.#store.transaction(() => {
      const nextAt = canDeliver(endpoint, now, this.#isListed) ? now : null;
      const status = nextAt === null && !holdsDeliveries(endpoint) ? "given_up" : "pending";
      const known = notices.filter((notice) => !this.#store.add(notice, status, nextAt, now));
      if (known.length < notices.length) {
        this.#store.evictOldest(LIMITS.deliveries, now, (seq) =>
          gapMessageFor(endpoint.settings, seq, now),
        );
      }
      if (isRestart) for (const notice of known) this.#store.resend(notice, now);
      return isRestart || known.length < notices.length;
    });
    if (isMore) await this.#deliver();
  }

  async deliveries(before: number | null, limit: number): Promise<DeliveryPage> {
    const found = this.#store.list(before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const page = found.slice(0, limit);
    const next = found.length > limit ? (page.at(-1)?.number ?? null) : null;
    return { deliveries: page.map(viewDelivery), next };
  }

  async hasDelivery(number: number): Promise<boolean> {
    return this.#store.list(number + 1, 1)[0]?.number === number;
  }

  async settledSeq(sessionId: string): Promise<number | null> {
    return this.#store.settledSeq(sessionId);
  }

  async forget(sessionId: string): Promise<void> {
    this.#store.forgetSession(sessionId);
  }

  async remove(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#clock.clear();
    this.#mask = null;
  }

  /** The session or owner that it belongs to; null if it was never created or was removed. */
  async home(): Promise<HomeView | null> {
    const found = this.#store.endpoint();
    return found === null ? null : { home: found.home, isEnded: found.status === "ended" };
  }

  async failing(): Promise<EndpointFailure | null> {
    const since = this.#store.endpoint()?.failingSince ?? null;
    const newest = since === null ? [] : this.#store.list(Number.MAX_SAFE_INTEGER, MAX_SCANNED);
    const attempts = newest.flatMap((delivery) => delivery.attempts);
    const [last] = attempts.toSorted((a, b) => b.at.localeCompare(a.at));
    if (since === null || last === undefined) return null;
    return { since: new Date(since).toISOString(), ...last };
  }

  /** The secret is generated and stored before the first row. */
  #masking(): Masking {
    this.#mask ??= new Masking(this.#secret.readOrCreate((bytes) => crypto.getRandomValues(bytes)));
    return this.#mask;
  }

  override async alarm(): Promise<void> {
    this.#clock.clear();
    await this.#report();
    this.#deliverer.start();
    await this.#armNext();
    await this.#afterwards();
  }

  /** The alarm is set first: if this instance ends, what is in flight is sent again. */
  async #deliver(): Promise<void> {
    await this.#armNext();
    this.#deliverer.start();
    this.ctx.waitUntil(this.#afterwards());
  }

  async #afterwards(): Promise<void> {
    await this.#deliverer.settle();
    await this.#report();
    await this.#armNext();
  }

  async #armNext(): Promise<void> {
    const now = Date.now();
    const endpoint = this.#store.endpoint();
    if (endpoint === null) return;
    const lost = now + attemptTimeoutMs(this.env) + LOST_AFTER_MS;
    const nextAt = canDeliver(endpoint, now, this.#isListed) ? this.#store.nextAt() : null;
    const due = [
      // The caller starts what is due now; the alarm is for what was lost on the way.
      ...(nextAt === null ? [] : [nextAt <= now ? lost : nextAt]),
      ...(endpoint.unreported === null ? [] : [now + REPORT_RETRY_MS]),
    ];
    if (due.length > 0) await this.#clock.arm(Math.min(...due));
  }

  /** Reports a change of status to its home until it has acknowledged. */
  async #report(): Promise<void> {
    const endpoint = this.#store.endpoint();
    if (endpoint?.unreported == null) return;
    const { home, unreported } = endpoint;
    try {
      await reportStatus(this.env, home, this.ctx.id.toString(), unreported);
    } catch {
      return; // Retried from the alarm.
    }
    const now = this.#store.endpoint();
    if (now?.unreported === unreported) this.#store.save({ ...now, unreported: null });
  }
}

/** The Worker of this object: it has the keys and makes the connections. */
const senderOf = (state: DurableObjectState): WebhookSenderRpc =>
  (state as unknown as { readonly exports: { readonly WebhookSender: WebhookSenderRpc } }).exports
    .WebhookSender;

const viewDelivery = ({ number, webhookId, seq, notice, control, ...rest }: Delivery) => ({
  id: `dlv_${number}`,
  webhookId,
  seq,
  type: control?.body.type ?? notice.type,
  ...viewAttempts(rest),
});

const viewAttempts = ({
  status,
  nextAt,
  attempts,
}: Pick<Delivery, "status" | "nextAt" | "attempts">) => ({
  status,
  ...(nextAt === null ? {} : { nextAttemptAt: new Date(nextAt).toISOString() }),
  attempts: attempts.map((attempt) => ({ ...attempt })),
});
