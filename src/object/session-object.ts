/**
 * The Durable Object of one session: the only authority over it. A thin shell: it knows the
 * platform (storage, alarm, clock) and hands everything else to the handlers beside it. Every
 * method that is not `#private` is callable by the Worker, and only by it. Long because what the
 * Worker may call must stand on this one class, and what it must not call must be `#private` to
 * it; a method is a line or two.
 */
import { DurableObject } from "cloudflare:workers";
import type { Credential } from "../domain/admission";
import { agentsOf } from "../domain/agents";
import { dueNow, isPurgeable, nextDue, purgeAt } from "../domain/expiry";
import type { ChildPlan } from "../domain/fork";
import { sessionIdFromHex } from "../domain/ids";
import type { LinkState } from "../domain/link";
import type { JobEvent } from "../domain/job-rules";
import type { JsonObject } from "../domain/json";
import { CREDENTIAL_HEADER } from "../domain/live-wire";
import type { Trace } from "../domain/trace";
import type { Upload } from "../domain/upload";
import type { HandoffView, SessionText, SessionView } from "../domain/view";
import { listenerLimit, settingsFrom, type Env } from "../env";
import { CheckpointStore } from "../storage/checkpoint-store";
import { JobStore } from "../storage/job-store";
import type { CommitRecord } from "../storage/commit-log";
import { SessionStore, type Loaded } from "../storage/session-store";
import { UploadStore } from "../storage/upload-store";
import { hasTombstone, raiseTombstone } from "../storage/tombstone";
import type { SqlPort } from "../storage/sql-port";
import { AlarmClock } from "./alarm-clock";
import { announceResume } from "./announce-resume";
import { arcpConfirm, arcpResume } from "./arcp";
import { admitWatcher, keepWatching, mirror, noteJob, watchEvents, watchJob } from "./watch";
import { createChild, createSession, mismatch, replayCreate } from "./create";
import { append, readEvents } from "./events";
import { checkJobToken, claimJob, reportJob } from "./executors";
import { recordExpiry } from "./expire";
import type {
  ArcpResumed,
  ArcpResumeRequest,
  CancelJobRequest,
  Claimed,
  ClaimRequest,
  JobContent,
  JobCredential,
  JobList,
  JobPort,
  ListJobsRequest,
  MirrorRequest,
  Reported,
  ReportRequest,
  ShownJob,
  SubmitJobRequest,
  Submitted,
  Watched,
  WatchRequest,
} from "./job-messages";
import { cancelJob, closeJobs, getJob, listJobs, submitJob } from "./jobs";
import { Listeners } from "./listeners";
import type {
  Appended,
  AppendRequest,
  Created,
  CreateRequest,
  EventsRequest,
  LineageNode,
  LinkKey,
  LinkOpened,
  LocatedUpload,
  OpenLinkRequest,
  Page,
  PurgeRequest,
  Reply,
  Resumable,
  ResumableRequest,
  SessionPort,
  Stopped,
  StopRequest,
  StoredFile,
  UploadOffer,
  Validated,
  ValidateRequest,
  WriteRequest,
  Written,
} from "./messages";
import {
  admitListener,
  getCheckpoint,
  getLineage,
  lineageNode,
  listCheckpoints,
  admitPurge,
  checkResumable,
  getSession,
  listHandoffs,
  validate,
} from "./read";
import { logFailedAlarm, measureCommit, measurePurge } from "./measure";
import { openLink, readLinkState, unlisted } from "./open-link";
import { settleOverdue } from "./overdue-jobs";
import { present, type Desk } from "./reception";
import { reportStop } from "./report-stop";
import { SecondSteps } from "./second-steps";
import { openStorage, type Meter } from "./storage-port";
import { deleteFiles, keepStored, locateUpload, offerUpload } from "./uploads";
import { write } from "./write";

/** An alarm handler that keeps throwing is dropped by the platform; ours comes back by itself. */
const ALARM_RETRY_MS = 30_000;
/** How soon a second step that is still open is tried again. */
const SECOND_STEP_RETRY_MS = 1_000;
/** How soon a queue that did not answer is offered a job again. */
const OFFER_RETRY_MS = 5_000;
/** Listeners come and go; a place may be free soon. */
const LISTENER_RETRY_MS = 5_000;

export class SessionObject extends DurableObject<Env> implements SessionPort, JobPort {
  /** Rows read and written since this instance woke. An instance property is not reachable by RPC. */
  readonly meter: Meter = { rowsRead: 0, rowsWritten: 0 };
  readonly #sql: SqlPort;
  readonly #desk: Desk;
  readonly #listeners: Listeners;
  readonly #steps: SecondSteps;
  readonly #clock: AlarmClock;
  /** Commits of the running transaction; told once it is over. */
  #unannounced: CommitRecord[] = [];
  /** Of the request that the running transaction serves. */
  #trace: Trace | null = null;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sql = openStorage(state.storage, this.meter);
    this.#listeners = new Listeners(state);
    this.#desk = {
      id: sessionIdFromHex(state.id.toString()),
      store: new SessionStore(this.#sql),
      checkpoints: new CheckpointStore(this.#sql),
      uploads: new UploadStore(this.#sql),
      jobs: new JobStore(this.#sql),
      online: () => this.#listeners.online(),
      announce: (record) => this.#unannounced.push(record),
      trace: () => this.#trace,
    };
    this.#steps = new SecondSteps(() => this.env, this.#desk);
    this.#clock = new AlarmClock(state.storage, this.meter);
  }

  async create(request: CreateRequest): Promise<Reply<Created>> {
    const now = Date.now();
    if (this.#desk.store.exists()) return replayCreate(this.#desk, request, now);
    if (hasTombstone(this.#sql)) return mismatch("purged");
    return this.#thenArm(
      this.#told(
        () => createSession(this.#desk, request, settingsFrom(this.env), now),
        request.trace,
      ),
    );
  }

  async write(request: WriteRequest): Promise<Reply<Written>> {
    const settings = settingsFrom(this.env);
    const { trace } = request.credential;
    const reply = this.#told(() => write(this.#desk, request, settings, Date.now()), trace);
    if (reply.ok && request.command.operation === "fork") return this.#bearChild(reply.value);
    if (reply.ok && request.command.operation === "handoff") return this.#listLinks(reply);
    return this.#thenArm(reply);
  }

  async offerUpload(offer: UploadOffer): Promise<Reply<Upload>> {
    return offerUpload(this.#desk, offer, Date.now());
  }

  async keepStored(file: StoredFile): Promise<Reply<string | null>> {
    return keepStored(this.#desk, file, Date.now());
  }

  async locateUpload(credential: Credential, number: number): Promise<Reply<LocatedUpload>> {
    return locateUpload(this.#desk, credential, number, Date.now());
  }

  async linkState(key: LinkKey): Promise<LinkState> {
    return readLinkState(this.#desk, key, Date.now());
  }

  async openLink(request: OpenLinkRequest): Promise<LinkOpened | { readonly state: LinkState }> {
    const opened = this.#told(() => openLink(this.#desk, request, Date.now()));
    await this.#armNext();
    return opened;
  }

  async append(request: AppendRequest): Promise<Reply<Appended>> {
    const { trace } = request.credential;
    return this.#thenRepair(this.#told(() => append(this.#desk, request, Date.now()), trace));
  }

  async reportStop(request: StopRequest): Promise<Reply<Stopped>> {
    const stop = () => reportStop(this.#desk, request, Date.now(), Math.random());
    return this.#thenArm(this.#told(stop, request.credential.trace));
  }

  async submitJob(request: SubmitJobRequest): Promise<Reply<Submitted>> {
    const agents = agentsOf(this.env.AGENTS);
    const { trace } = request.credential;
    const reply = this.#told(() => submitJob(this.#desk, request, agents, Date.now()), trace);
    if (!reply.ok) return reply;
    // Armed first: if this ends here, the alarm makes the offer. A repeated request makes it too.
    await this.#armNext();
    await this.#steps.offerJobs();
    return reply;
  }

  async listJobs(request: ListJobsRequest): Promise<Reply<JobList>> {
    return listJobs(this.#desk, request, Date.now());
  }

  async getJob(credential: Credential, number: number): Promise<Reply<JobContent>> {
    return getJob(this.#desk, credential, number, Date.now());
  }

  async cancelJob(request: CancelJobRequest): Promise<Reply<ShownJob>> {
    const { trace } = request.credential;
    return this.#thenRepair(this.#told(() => cancelJob(this.#desk, request, Date.now()), trace));
  }

  async closeJobs(credential: Credential, reason: string | undefined): Promise<Reply<number>> {
    return this.#told(() => closeJobs(this.#desk, credential, reason, Date.now()));
  }

  async claimJob(request: ClaimRequest): Promise<Claimed | null> {
    const claimed = this.#told(() => claimJob(this.#desk, request, Date.now()), request.trace);
    if (claimed !== null) await this.#armNext();
    return claimed;
  }

  async reportJob(request: ReportRequest): Promise<Reply<Reported>> {
    const { trace } = request;
    return this.#thenRepair(this.#told(() => reportJob(this.#desk, request, Date.now()), trace));
  }

  async checkJobToken(credential: JobCredential): Promise<Reply<null>> {
    return checkJobToken(this.#desk, credential, Date.now());
  }

  async arcpResume(request: ArcpResumeRequest): Promise<Reply<ArcpResumed>> {
    return this.#thenRepair(this.#told(() => arcpResume(this.#desk, request, Date.now())));
  }

  async arcpConfirm(credential: Credential): Promise<void> {
    arcpConfirm(this.#desk, credential, Date.now());
  }

  async noteJob(credential: Credential, number: number, event: JobEvent): Promise<boolean> {
    return this.#told(() => noteJob(this.#desk, credential, number, event, Date.now()));
  }

  async watchJob(request: WatchRequest, from: number | null): Promise<Reply<Watched>> {
    return watchJob(this.#desk, request, from, Date.now());
  }

  async watchEvents(request: WatchRequest, after: number): Promise<Reply<Page>> {
    return watchEvents(this.#desk, request, after, Date.now());
  }

  async arcpWatch(
    credential: Credential,
    jobId: string,
    cursor: number | null,
  ): Promise<Reply<null>> {
    return keepWatching(this.#desk, credential, jobId, cursor, Date.now());
  }

  async arcpMirror(request: MirrorRequest): Promise<Reply<null>> {
    return this.#told(() => mirror(this.#desk, request, Date.now()));
  }

  async checkpoints(credential: Credential): Promise<Reply<readonly JsonObject[]>> {
    return listCheckpoints(this.#desk, credential, Date.now());
  }

  async checkpoint(credential: Credential, number: number): Promise<Reply<JsonObject>> {
    return getCheckpoint(this.#desk, credential, number, Date.now());
  }

  async lineage(credential: Credential): Promise<Reply<LineageNode>> {
    return getLineage(this.#desk, credential, Date.now());
  }

  async relative(): Promise<LineageNode | null> {
    const loaded = this.#loaded();
    return loaded === null ? null : lineageNode(this.#desk, loaded.session);
  }

  async describe(): Promise<SessionView | null> {
    const loaded = this.#loaded();
    return loaded === null ? null : present(this.#desk, loaded);
  }

  async beginChild(plan: ChildPlan): Promise<SessionView | null> {
    const settings = settingsFrom(this.env);
    const child = this.#told(() => createChild(this.#desk, plan, settings, Date.now()));
    await this.#armNext();
    return child;
  }

  async get(credential: Credential): Promise<Reply<SessionText>> {
    return this.#thenRepair(getSession(this.#desk, credential, Date.now()));
  }

  async events(request: EventsRequest): Promise<Reply<Page>> {
    return this.#thenRepair(readEvents(this.#desk, request, Date.now()));
  }

  async handoffs(credential: Credential): Promise<Reply<readonly HandoffView[]>> {
    return listHandoffs(this.#desk, credential, Date.now());
  }

  async validate(request: ValidateRequest): Promise<Reply<Validated>> {
    return validate(this.#desk, request, Date.now());
  }

  async resumable(request: ResumableRequest): Promise<Reply<Resumable>> {
    return checkResumable(this.#desk, request, Date.now());
  }

  /** The check and the emptying follow each other with no gate opened between them. */
  async purge({ credential, ifMatch }: PurgeRequest): Promise<Reply<null>> {
    const admitted = admitPurge(this.#desk, credential, ifMatch, Date.now());
    if (!admitted.ok) return admitted;
    await this.#empty();
    return { ok: true, value: null };
  }

  /**
   * The Worker's way in for one that listens. A refusal is the same message as from any other
   * method, as JSON: a response is all that can stand in place of a socket.
   */
  override async fetch(request: Request): Promise<Response> {
    const shown = JSON.parse(request.headers.get(CREDENTIAL_HEADER) ?? "null") as
      | Credential
      | WatchRequest;
    const admitted =
      "principal" in shown
        ? admitWatcher(this.#desk, shown, Date.now())
        : await this.#thenRepair(admitListener(this.#desk, shown, Date.now()));
    if (!admitted.ok) return Response.json(admitted);
    const limit = listenerLimit(this.env);
    if (!this.#listeners.hasRoom(limit)) {
      const what = `This session has its ${limit} listeners already.`;
      const failure = { code: "rate_limited", what, retryAfterMs: LISTENER_RETRY_MS } as const;
      return Response.json({ ok: false, failure });
    }
    // Who watches from another session is no participant of this one.
    return this.#listeners.accept("principal" in shown ? 0 : shown.participant);
  }

  /** Listeners only listen; the answer to a close is the platform's own. */
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    this.#clock.clear();
    try {
      await this.#doWhatIsDue(Date.now());
    } catch (error) {
      if (this.env.LOG !== "off") logFailedAlarm(this.#desk.id, error);
      await this.#clock.arm(Date.now() + ALARM_RETRY_MS);
    }
  }

  /** What is due is read from the session, so an alarm that comes twice, late or early is harmless. */
  async #doWhatIsDue(now: number): Promise<void> {
    const { store } = this.#desk;
    const loaded = store.exists() ? store.load() : null;
    if (loaded === null) return;
    const due = dueNow(loaded.session, now);
    if (due === "purge") {
      await this.#empty();
      return measurePurge(this.env.METRICS, this.#desk.id, now - purgeAt(loaded.session));
    }
    if (due === "record_expiry") this.#told(() => recordExpiry(this.#desk, now));
    if (due === "announce_resume") this.#told(() => announceResume(this.#desk, now));
    this.#told(() => settleOverdue(this.#desk, now));
    if (loaded.plan !== null) await this.#steps.makePlanned(loaded.plan);
    await this.#steps.listLinks(this.#loaded());
    await this.#steps.offerJobs();
    await this.#armNext();
  }

  /** The session, unless it is gone or as good as gone. */
  #loaded(): Loaded | null {
    const { store } = this.#desk;
    const loaded = store.exists() ? store.load() : null;
    return loaded === null || isPurgeable(loaded.session, Date.now()) ? null : loaded;
  }

  /** Before the answer, and again for a repeated request: the child that the parent has promised. */
  async #bearChild(written: Written): Promise<Reply<Written>> {
    const { plan } = this.#desk.store.load() ?? { plan: null };
    // Armed first: if this ends here, the alarm makes the child.
    await this.#armNext();
    try {
      const child =
        plan === null
          ? await this.#steps.sessionAt(String(written.outcome["child"])).describe()
          : await this.#steps.makePlanned(plan);
      return { ok: true, value: { ...written, child } };
    } catch {
      // The parent has committed; the same request with its key finds the child.
      return { ok: false, failure: { code: "overloaded", retryAfterMs: SECOND_STEP_RETRY_MS } };
    }
  }

  /** Before the answer, and again for a repeated request: the directory must know every link. */
  async #listLinks(reply: Reply<Written>): Promise<Reply<Written>> {
    // Armed first: if this ends here, the alarm lists it.
    await this.#armNext();
    try {
      await this.#steps.listLinks(this.#loaded());
      return reply;
    } catch {
      return { ok: false, failure: { code: "overloaded", retryAfterMs: SECOND_STEP_RETRY_MS } };
    }
  }

  async #empty(): Promise<void> {
    const { store, uploads } = this.#desk;
    // Files first: with the storage gone nobody would know of them. What is written meanwhile goes too.
    if (uploads.exists()) await deleteFiles(this.env.UPLOADS, this.ctx.id.toString());
    this.#listeners.closeAll("gone");
    const isNamed = store.createRecord()?.request != null;
    // Emptied whole in both cases, so that nothing of it stays in the file. An end of the process
    // between these two lines leaves no tombstone: accepted, nobody was told yet that it is purged.
    const emptied = this.ctx.storage.deleteAll();
    if (isNamed) raiseTombstone(this.#sql, Date.now());
    await emptied;
    this.#clock.clear();
    store.forget();
  }

  /** Runs a transaction and tells those who listen what it committed, or nothing if it failed. */
  #told<T>(transact: () => T, trace: Trace | null = null): T {
    this.#unannounced = [];
    this.#trace = trace;
    const result = transact();
    for (const record of this.#unannounced) {
      this.#listeners.announce(record);
      measureCommit(this.env.METRICS, this.#desk.id, record);
    }
    this.#unannounced = [];
    return result;
  }

  async #thenArm<T>(reply: Reply<T>): Promise<Reply<T>> {
    if (reply.ok) await this.#armNext();
    return reply;
  }

  /** After an accepted write: the alarm moves only if something is now due before it. */
  async #armNext(): Promise<void> {
    const loaded = this.#loaded();
    if (loaded === null) return;
    // A job that is due at once waits for the next try of its offer.
    const now = Date.now();
    const jobs = this.#desk.jobs.nextDue();
    const due = nextDue(
      loaded.session,
      jobs === null ? null : Math.max(jobs, jobs === 0 ? now + OFFER_RETRY_MS : now),
    );
    const isOpen = loaded.plan !== null || unlisted(loaded.participants).length > 0;
    await this.#clock.arm(isOpen ? Math.min(due, now + SECOND_STEP_RETRY_MS) : due);
  }

  /** Once an instance, after an accepted request: an alarm that was lost is set again. */
  async #thenRepair<T>(reply: Reply<T>): Promise<Reply<T>> {
    return this.#clock.isUnknown ? this.#thenArm(reply) : reply;
  }
}
