/**
 * What runs after a response or without one: the effects of a commit in other objects, the alarm
 * with all due tasks, and the deletion of a purged session's storage.
 */
import { nextLinkEndAt } from "../domain/links/link-answers";
import { dueTask, nextDueAt, purgeAt } from "../domain/session/expiry";
import { endpointsOf } from "../domain/notices/stored-endpoint";
import type { Env } from "../env";
import type { SqlPort } from "../storage/sql-port";
import { writeTombstone } from "../storage/tombstone";
import { AlarmClock } from "./alarm-clock";
import {
  announceResume,
  noticeDueAt,
  recordDueNotices,
  recordEndedLinks,
  recordExpiry,
} from "./due-tasks";
import { PurgeMark } from "./purge-mark";
import type { SessionContext } from "./session-context";
import type { RpcResponse, RpcRequest, WriteRpcs } from "./session-rpc";
import { loadExisting } from "./gate";
import type { Listeners } from "./listeners";
import { countPurge, logFailedAlarm, measurePurge } from "./measure";
import type { Reply, WriteRequest, WriteOutcome } from "./messages";
import { unlistedLinks } from "./open-link";
import { settleOverdueJobs } from "./overdue-jobs";
import { PostCommitEffects } from "./post-commit-effects";
import { Outbox } from "./outbox";
import type { Meter } from "./storage-port";
import { deleteFiles } from "./uploads";

/** The platform drops an alarm handler that keeps throwing; this one sets its own retry. */
const ALARM_RETRY_MS = 30_000;
/** Delay before an unfinished effect in another object is retried. */
const EFFECT_RETRY_MS = 1_000;
/** Delay before a job is offered again to a queue that did not answer. */
const OFFER_RETRY_MS = 5_000;

/** After these writes something may be due earlier than before. */
const ALARM_SETTING_WRITES: ReadonlySet<keyof WriteRpcs> = new Set([
  "command",
  "create",
  "reportStop",
  "createChild",
  "openLink",
  "declineLink",
  "openByKey",
  "submitJob",
  "claimJob",
]);

const RETRY_LATER = {
  ok: false,
  failure: { code: "overloaded", retryAfterMs: EFFECT_RETRY_MS },
} as const;

/** What the scheduler needs of the session's object. */
interface Dependencies {
  readonly env: () => Env;
  readonly storage: DurableObjectStorage;
  readonly sql: SqlPort;
  readonly meter: Meter;
  readonly context: SessionContext;
  readonly listeners: Listeners;
  readonly background: (work: Promise<void>) => void;
}

export class AlarmScheduler {
  readonly #dependencies: Dependencies;
  readonly #context: SessionContext;
  readonly #clock: AlarmClock;
  readonly #effects: PostCommitEffects;
  readonly #outbox: Outbox;
  #emptying: Promise<void> | null = null;

  constructor(dependencies: Dependencies) {
    const { env, context } = dependencies;
    this.#dependencies = dependencies;
    this.#context = context;
    this.#clock = new AlarmClock(dependencies.storage, dependencies.meter);
    this.#effects = new PostCommitEffects(env, context);
    this.#outbox = new Outbox(env, context);
  }

  /**
   * Effects in other objects run before the response, and again for a repeated request. The alarm
   * is set first.
   */
  async afterWrite<K extends keyof WriteRpcs>(
    command: RpcRequest<WriteRpcs, K>,
    reply: RpcResponse<WriteRpcs, K>,
  ): Promise<RpcResponse<WriteRpcs, K>> {
    const { kind } = command as { readonly kind: keyof WriteRpcs };
    if (!reply.ok) {
      // A repeated purge after an interrupted one is answered once the session is gone.
      if (kind === "purge" && this.#isPurging) await this.#empty();
      return reply;
    }
    if (kind === "purge") {
      await this.#empty();
      countPurge("request");
    } else if (ALARM_SETTING_WRITES.has(kind) || this.#hasPending) await this.#armNext();
    else await this.withAlarmRestored(reply);
    if (this.#hasPending) this.#dependencies.background(this.#sendPending());
    if (kind === "submitJob") await this.#effects.offerJobs();
    if (kind !== "command") return reply;
    const written = reply as Reply<WriteOutcome> & { readonly ok: true };
    return (await this.#finish(command as unknown as WriteRequest, written)) as typeof reply;
  }

  get #isPurging(): boolean {
    return this.#context.store.exists() && this.#context.store.outbox().isPurging === true;
  }

  get #hasPending(): boolean {
    return this.#context.store.exists() && this.#outbox.hasPending;
  }

  /**
   * Runs after the response. Once all messages are sent, the alarm that was set for them is
   * postponed.
   */
  async #sendPending(): Promise<void> {
    await this.#outbox.flush();
    const due = this.#nextDue(Date.now());
    if (due !== null && !this.#hasPending) await this.#clock.postpone(due);
  }

  /** An append sends no messages, but the use of a session may move its end. */
  async afterAppend<R extends Reply<unknown>>(reply: R): Promise<R> {
    if (!reply.ok) return reply;
    if (!this.#hasPending) return this.withAlarmRestored(reply);
    await this.#armNext();
    this.#dependencies.background(this.#sendPending());
    return reply;
  }

  async #finish(
    { command, credential }: WriteRequest,
    reply: Reply<WriteOutcome> & { readonly ok: true },
  ): Promise<Reply<WriteOutcome>> {
    try {
      if (command.operation === "handoff" || command.operation === "reissue") {
        await this.#effects.addLinksToDirectory(loadExisting(this.#context, Date.now()));
      }
      if (command.operation !== "fork") return reply;
      const plan = this.#context.store.load()?.plan ?? null;
      const childHex = String(reply.value.outcome["child"]);
      const child = await this.#effects.readOrCreateChild(childHex, plan, credential.from);
      return { ok: true, value: { ...reply.value, child } };
    } catch {
      // This session has committed; the same request with its key completes the rest.
      return RETRY_LATER;
    }
  }

  /** Runs once per instance, after an accepted request, and sets an alarm again that was lost. */
  async withAlarmRestored<R extends Reply<unknown>>(reply: R): Promise<R> {
    if (reply.ok && this.#clock.isUnknown) await this.#armNext();
    return reply;
  }

  async alarm(): Promise<void> {
    this.#clock.clear();
    try {
      await this.#runDueTasks(Date.now());
    } catch (error) {
      if (this.#dependencies.env().LOG !== "off") logFailedAlarm(this.#context.id, error);
      await this.#clock.arm(Date.now() + ALARM_RETRY_MS);
    }
  }

  /**
   * Due tasks are derived from the session, so an alarm that comes twice, late or early is
   * harmless.
   */
  async #runDueTasks(now: number): Promise<void> {
    const { store } = this.#context;
    const loaded = store.exists() ? store.load() : null;
    if (loaded === null) return;
    const due = this.#isPurging ? "purge" : dueTask(loaded.session, now);
    if (due === "purge") {
      await this.#empty();
      return measurePurge(
        this.#dependencies.env().METRICS,
        this.#context.id,
        now - purgeAt(loaded.session),
      );
    }
    if (due === "record_expiry") recordExpiry(this.#context, now);
    if (due === "announce_resume") announceResume(this.#context, now);
    recordEndedLinks(this.#context, now);
    settleOverdueJobs(this.#context, now);
    recordDueNotices(this.#context, now);
    if (loaded.plan !== null) await this.#effects.createPlannedChild(loaded.plan);
    await this.#effects.addLinksToDirectory(loadExisting(this.#context, Date.now()));
    await this.#effects.offerJobs();
    await this.#outbox.flush();
    await this.#armNext();
  }

  /** The alarm moves only if something is now due before it. */
  async #armNext(): Promise<void> {
    const due = this.#nextDue(Date.now());
    if (due !== null) await this.#clock.arm(due);
  }

  /** Returns null if nothing will ever be due. */
  #nextDue(now: number): number | null {
    const loaded = loadExisting(this.#context, now);
    if (loaded === null) return null;
    const jobs = this.#context.jobs.nextDue();
    // A job that is due at once waits for the next attempt to offer it.
    const jobsDue = jobs === null ? null : Math.max(jobs, jobs === 0 ? now + OFFER_RETRY_MS : now);
    const linkEnd = nextLinkEndAt(loaded.session, loaded.participants);
    const due = nextDueAt(loaded.session, jobsDue, linkEnd);
    const hasOpenEffects = loaded.plan !== null || unlistedLinks(loaded.participants).length > 0;
    const pendingAt = this.#outbox.hasPending ? this.#outbox.retryAt(now) : Infinity;
    const notice = noticeDueAt(this.#context, loaded, now);
    return Math.min(due, pendingAt, notice, hasOpenEffects ? now + EFFECT_RETRY_MS : Infinity);
  }

  /**
   * Runs right after the check, with no other request in between. If emptying takes time, the
   * session is first marked as purged and the alarm is set: no request is admitted meanwhile, and
   * the session stays until its files are deleted and its receivers have acknowledged the removal.
   * Otherwise the owner's directory would list it for ever. A session without files or receivers is
   * emptied at once. Requests and the alarm share one run: a second one would delete the tombstone.
   */
  #empty(): Promise<void> {
    this.#emptying ??= this.#emptyOnce().finally(() => (this.#emptying = null));
    return this.#emptying;
  }

  async #emptyOnce(): Promise<void> {
    const { store, uploads, blobs } = this.#context;
    const belongs = store.load()?.session.belongs ?? null;
    const hasReceivers = belongs !== null || endpointsOf(store.outbox()).length > 0;
    const hasFiles = uploads.exists() || blobs.exists();
    if (hasReceivers || hasFiles) {
      const purging = PurgeMark.commit(this.#context);
      await this.#clock.arm(this.#outbox.retryAt(Date.now()));
      // Files first: without the storage they could not be found.
      if (hasFiles) await deleteFiles(this.#dependencies.env().UPLOADS, purging);
    }
    this.#dependencies.listeners.closeAll("gone");
    if (hasReceivers && !(await this.#isRemovalAcknowledged())) return;
    const request = store.createRecord()?.request ?? null;
    const isNamed = request !== null || belongs?.externalId !== undefined;
    // All storage is deleted in both cases, so that nothing of the session stays in the file. If
    // the process ends between these two lines, no tombstone is left: accepted, because no response
    // has reported the purge yet.
    const deletion = this.#dependencies.storage.deleteAll();
    if (isNamed) writeTombstone(this.#dependencies.sql, Date.now(), request);
    await deletion;
    this.#clock.clear();
    store.resetCache();
    blobs.resetCache();
  }

  /** Have the directory and the endpoints acknowledged? If not, the alarm retries. */
  async #isRemovalAcknowledged(): Promise<boolean> {
    try {
      await this.#outbox.notifyRemoval();
      return true;
    } catch {
      await this.#clock.arm(this.#outbox.retryAt(Date.now()));
      return false;
    }
  }
}
