/**
 * The Durable Object of one session: the only authority over it. A thin shell: it knows the platform
 * (storage, alarm, clock) and hands everything else to the handlers beside it. Every method that is
 * not `#private` is callable by the Worker, and only by it.
 */
import { DurableObject } from "cloudflare:workers";
import type { Credential } from "../domain/admission";
import { dueNow, isPurgeable, nextDue } from "../domain/expiry";
import { sessionIdFromHex } from "../domain/ids";
import { CREDENTIAL_HEADER } from "../domain/live-wire";
import type { HandoffView, SessionView } from "../domain/view";
import { listenerLimit, settingsFrom, type Env } from "../env";
import { SessionStore, type CommitRecord } from "../storage/session-store";
import { buryWithTombstone, hasTombstone } from "../storage/tombstone";
import type { SqlPort } from "../storage/sql-port";
import { createSession, mismatch, replayCreate } from "./create";
import { append, readEvents } from "./events";
import { recordExpiry } from "./expire";
import { Listeners } from "./listeners";
import type {
  Appended,
  AppendRequest,
  Created,
  CreateRequest,
  EventsRequest,
  Page,
  PurgeRequest,
  Reply,
  Resumable,
  ResumableRequest,
  SessionPort,
  Validated,
  ValidateRequest,
  WriteRequest,
  Written,
} from "./messages";
import {
  admitListener,
  admitPurge,
  checkResumable,
  getSession,
  listHandoffs,
  validate,
} from "./read";
import type { Desk } from "./reception";
import { openStorage, type Meter } from "./storage-port";
import { write } from "./write";

/** An alarm handler that keeps throwing is dropped by the platform; ours comes back by itself. */
const ALARM_RETRY_MS = 30_000;
/** Listeners come and go; a place may be free soon. */
const LISTENER_RETRY_MS = 5_000;

export class SessionObject extends DurableObject<Env> implements SessionPort {
  /** Rows read and written since this instance woke. An instance property is not reachable by RPC. */
  readonly meter: Meter = { rowsRead: 0, rowsWritten: 0 };
  readonly #sql: SqlPort;
  readonly #desk: Desk;
  readonly #listeners: Listeners;
  /** Commits of the running transaction; told once it is over. */
  #unannounced: CommitRecord[] = [];
  /** Time of the armed alarm; undefined until asked for. */
  #armed: number | null | undefined;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#sql = openStorage(state.storage, this.meter);
    this.#listeners = new Listeners(state);
    this.#desk = {
      id: sessionIdFromHex(state.id.toString()),
      store: new SessionStore(this.#sql),
      online: () => this.#listeners.online(),
      announce: (record) => this.#unannounced.push(record),
    };
  }

  async create(request: CreateRequest): Promise<Reply<Created>> {
    const now = Date.now();
    if (this.#desk.store.exists()) return replayCreate(this.#desk, request, now);
    if (hasTombstone(this.#sql)) return mismatch("purged");
    return this.#thenArm(
      this.#told(() => createSession(this.#desk, request, settingsFrom(this.env), now)),
    );
  }

  async write(request: WriteRequest): Promise<Reply<Written>> {
    const settings = settingsFrom(this.env);
    return this.#thenArm(this.#told(() => write(this.#desk, request, settings, Date.now())));
  }

  async append(request: AppendRequest): Promise<Reply<Appended>> {
    return this.#thenRepair(this.#told(() => append(this.#desk, request, Date.now())));
  }

  async get(credential: Credential): Promise<Reply<SessionView>> {
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
    const credential = JSON.parse(request.headers.get(CREDENTIAL_HEADER) ?? "null") as Credential;
    const admitted = await this.#thenRepair(admitListener(this.#desk, credential, Date.now()));
    if (!admitted.ok) return Response.json(admitted);
    const limit = listenerLimit(this.env);
    if (this.#listeners.count >= limit) {
      const what = `This session has its ${limit} listeners already.`;
      const failure = { code: "rate_limited", what, retryAfterMs: LISTENER_RETRY_MS } as const;
      return Response.json({ ok: false, failure });
    }
    return this.#listeners.accept(admitted.value.participant.number);
  }

  /** Listeners only listen; the answer to a close is the platform's own. */
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    this.#armed = null;
    try {
      await this.#doWhatIsDue(Date.now());
    } catch (error) {
      console.error(JSON.stringify({ message: "alarm failed", error: String(error) }));
      await this.#arm(Date.now() + ALARM_RETRY_MS);
    }
  }

  /** What is due is read from the session, so an alarm that comes twice, late or early is harmless. */
  async #doWhatIsDue(now: number): Promise<void> {
    const { store } = this.#desk;
    const session = store.exists() ? (store.load()?.session ?? null) : null;
    if (session === null) return;
    const due = dueNow(session, now);
    if (due === "purge") return this.#empty();
    if (due === "record_expiry") this.#told(() => recordExpiry(this.#desk, now));
    const after = store.load()?.session ?? null;
    if (after !== null) await this.#arm(nextDue(after));
  }

  async #empty(): Promise<void> {
    const { store } = this.#desk;
    this.#listeners.closeAll("gone");
    const isNamed = store.createRecord()?.request != null;
    if (isNamed) {
      store.transaction(() => buryWithTombstone(this.#sql, Date.now()));
      await this.ctx.storage.deleteAlarm();
    } else {
      await this.ctx.storage.deleteAll();
    }
    this.#armed = null;
    store.forget();
  }

  /** Runs a transaction and tells those who listen what it committed, or nothing if it failed. */
  #told<T>(transact: () => T): T {
    this.#unannounced = [];
    const result = transact();
    for (const record of this.#unannounced) this.#listeners.announce(record);
    this.#unannounced = [];
    return result;
  }

  /** After an accepted write: the alarm moves only if something is now due before it. */
  async #thenArm<T>(reply: Reply<T>): Promise<Reply<T>> {
    if (!reply.ok) return reply;
    const session = this.#desk.store.load()?.session ?? null;
    if (session !== null && !isPurgeable(session, Date.now())) await this.#arm(nextDue(session));
    return reply;
  }

  /** Once an instance, after an accepted request: an alarm that was lost is set again. */
  async #thenRepair<T>(reply: Reply<T>): Promise<Reply<T>> {
    return this.#armed === undefined ? this.#thenArm(reply) : reply;
  }

  async #arm(due: number): Promise<void> {
    if (this.#armed === undefined) this.#armed = await this.ctx.storage.getAlarm();
    if (this.#armed !== null && this.#armed <= due) return;
    await this.ctx.storage.setAlarm(due);
    this.meter.rowsWritten += 1;
    this.#armed = due;
  }
}
