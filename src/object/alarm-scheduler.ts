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
import type { RpcResponse, RpcRequest, Writes } from "./session-rpc";
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
const SECOND_STEP_RETRY_MS = 1_000;
/** Delay before a job is offered again to a queue that did not answer. */
const OFFER_RETRY_MS = 5_000;

/** After these writes something may be due earlier than before. */
const ARMING: ReadonlySet<keyof Writes> = new Set([
  "command",
  "create",
  "reportStop",
  "beginChild",
  "openLink",
  "declineLink",
  "openByKey",
  "submitJob",
  "claimJob",
]);

const LATER = {
  ok: false,
  failure: { code: "overloaded", retryAfterMs: SECOND_STEP_RETRY_MS },
} as const;

/** What the scheduler needs of the session's object. */
interface Kept {
  readonly env: () => Env;
  readonly storage: DurableObjectStorage;
  readonly sql: SqlPort;
  readonly meter: Meter;
  readonly room: SessionContext;
  readonly listeners: Listeners;
  readonly background: (work: Promise<void>) => void;
}

export class AlarmScheduler {
  readonly #kept: Kept;
  readonly #room: SessionContext;
  readonly #clock: AlarmClock;
  readonly #steps: PostCommitEffects;
  readonly #teller: Outbox;
  #emptying: Promise<void> | null = null;

  constructor(kept: Kept) {
    const { env, room } = kept;
    this.#kept = kept;
    this.#room = room;
    this.#clock = new AlarmClock(kept.storage, kept.meter);
    this.#steps = new PostCommitEffects(env, room);
    this.#teller = new Outbox(env, room);
  }

  /**
   * Effects in other objects run before the response, and again for a repeated request. The alarm
   * is set first.
   */
  async afterWrite<K extends keyof Writes>(
    command: RpcRequest<Writes, K>,
    reply: RpcResponse<Writes, K>,
  ): Promise<RpcResponse<Writes, K>> {
    const { kind } = command as { readonly kind: keyof Writes };
    if (!reply.ok) {
      // A repeated purge after an interrupted one is answered once the session is gone.
      if (kind === "purge" && this.#isPurging) await this.#empty();
      return reply;
    }
    if (kind === "purge") {
      await this.#empty();
      countPurge("request");
    } else if (ARMING.has(kind) || this.#hasNews) await this.#armNext();
    else await this.withAlarmRestored(reply);
    if (this.#hasNews) this.#kept.background(this.#tell());
    if (kind === "submitJob") await this.#steps.offerJobs();
    if (kind !== "command") return reply;
    const written = reply as Reply<WriteOutcome> & { readonly ok: true };
    return (await this.#finish(command as unknown as WriteRequest, written)) as typeof reply;
  }

  get #isPurging(): boolean {
    return this.#room.store.exists() && this.#room.store.outbox().isPurging === true;
  }

  get #hasNews(): boolean {
    return this.#room.store.exists() && this.#teller.hasPending;
  }

  /**
   * Runs after the response. Once all messages are sent, the alarm that was set for them is
   * postponed.
   */
  async #tell(): Promise<void> {
    await this.#teller.flush();
    const due = this.#nextDue(Date.now());
    if (due !== null && !this.#hasNews) await this.#clock.postpone(due);
  }

  /** An append sends no messages, but the use of a session may move its end. */
  async afterAppend<R extends Reply<unknown>>(reply: R): Promise<R> {
    if (!reply.ok) return reply;
    if (!this.#hasNews) return this.withAlarmRestored(reply);
    await this.#armNext();
    this.#kept.background(this.#tell());
    return reply;
  }

  async #finish(
    { command, credential }: WriteRequest,
    reply: Reply<WriteOutcome> & { readonly ok: true },
  ): Promise<Reply<WriteOutcome>> {
    try {
      if (command.operation === "handoff" || command.operation === "reissue") {
        await this.#steps.addLinksToDirectory(loadExisting(this.#room, Date.now()));
      }
      if (command.operation !== "fork") return reply;
      const plan = this.#room.store.load()?.plan ?? null;
      const childHex = String(reply.value.outcome["child"]);
      const child = await this.#steps.readOrCreateChild(childHex, plan, credential.from);
      return { ok: true, value: { ...reply.value, child } };
    } catch {
      // This session has committed; the same request with its key completes the rest.
      return LATER;
    }
  }

  /** Once per instance, after an accepted request: sets an alarm again that was lost. */
  async withAlarmRestored<R extends Reply<unknown>>(reply: R): Promise<R> {
    if (reply.ok && this.#clock.isUnknown) await this.#armNext();
    return reply;
  }

  async alarm(): Promise<void> {
    this.#clock.clear();
    try {
      await this.#runDueTasks(Date.now());
    } catch (error) {
      if (this.#kept.env().LOG !== "off") logFailedAlarm(this.#room.id, error);
      await this.#clock.arm(Date.now() + ALARM_RETRY_MS);
    }
  }

  /**
   * Due tasks are derived from the session, so an alarm that comes twice, late or early is
   * harmless.
   */
  async #runDueTasks(now: number): Promise<void> {
    const { store } = this.#room;
    const loaded = store.exists() ? store.load() : null;
    if (loaded === null) return;
    const due = this.#isPurging ? "purge" : dueTask(loaded.session, now);
    if (due === "purge") {
      await this.#empty();
      return measurePurge(this.#kept.env().METRICS, this.#room.id, now - purgeAt(loaded.session));
    }
    if (due === "record_expiry") recordExpiry(this.#room, now);
    if (due === "announce_resume") announceResume(this.#room, now);
    recordEndedLinks(this.#room, now);
    settleOverdueJobs(this.#room, now);
    recordDueNotices(this.#room, now);
    if (loaded.plan !== null) await this.#steps.createPlannedChild(loaded.plan);
    await this.#steps.addLinksToDirectory(loadExisting(this.#room, Date.now()));
    await this.#steps.offerJobs();
    await this.#teller.flush();
    await this.#armNext();
  }

  /** The alarm moves only if something is now due before it. */
  async #armNext(): Promise<void> {
    const due = this.#nextDue(Date.now());
    if (due !== null) await this.#clock.arm(due);
  }

  /** Null if nothing will ever be due. */
  #nextDue(now: number): number | null {
    const loaded = loadExisting(this.#room, now);
    if (loaded === null) return null;
    const jobs = this.#room.jobs.nextDue();
    // A job that is due at once waits for the next attempt to offer it.
    const jobsDue = jobs === null ? null : Math.max(jobs, jobs === 0 ? now + OFFER_RETRY_MS : now);
    const linkEnd = nextLinkEndAt(loaded.session, loaded.participants);
    const due = nextDueAt(loaded.session, jobsDue, linkEnd);
    const isOpen = loaded.plan !== null || unlistedLinks(loaded.participants).length > 0;
    const untold = this.#teller.hasPending ? this.#teller.retryAt(now) : Infinity;
    const notice = noticeDueAt(this.#room, loaded, now);
    return Math.min(due, untold, notice, isOpen ? now + SECOND_STEP_RETRY_MS : Infinity);
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
    const { store, uploads, blobs } = this.#room;
    const belongs = store.load()?.session.belongs ?? null;
    const isKnown = belongs !== null || endpointsOf(store.outbox()).length > 0;
    const hasFiles = uploads.exists() || blobs.exists();
    if (isKnown || hasFiles) {
      const purging = PurgeMark.commit(this.#room);
      await this.#clock.arm(this.#teller.retryAt(Date.now()));
      // Files first: without the storage they could not be found.
      if (hasFiles) await deleteFiles(this.#kept.env().UPLOADS, purging);
    }
    this.#kept.listeners.closeAll("gone");
    if (isKnown && !(await this.#isForgotten())) return;
    const request = store.createRecord()?.request ?? null;
    const isNamed = request !== null || belongs?.externalId !== undefined;
    // All storage is deleted in both cases, so that nothing of the session stays in the file. If
    // the process ends between these two lines, no tombstone is left: accepted, because no response
    // has reported the purge yet.
    const emptied = this.#kept.storage.deleteAll();
    if (isNamed) writeTombstone(this.#kept.sql, Date.now(), request);
    await emptied;
    this.#clock.clear();
    store.resetCache();
    blobs.resetCache();
  }

  /** Have the directory and the endpoints acknowledged? If not, the alarm retries. */
  async #isForgotten(): Promise<boolean> {
    try {
      await this.#teller.notifyRemoval();
      return true;
    } catch {
      await this.#clock.arm(this.#teller.retryAt(Date.now()));
      return false;
    }
  }
}
