/**
 * A session, with every operation of the API as a method. Holds the last state seen and a line of
 * tokens; the order of calls is the order in the log. Methods only call the token line.
 */
import type { Json, JsonObject } from "../domain/json";
import type { JobView } from "../domain/jobs/job";
import type { SessionView } from "../domain/session/view";
import { catchConflict, StoreError, WireError, type WriteResult } from "./errors";
import { askPerson, type AskOutcome, type AskInput, type AskOptions } from "./ask-person";
import { asVersionConflict, ContentionBackoff, type ContentionOptions } from "./contention";
import { openExport } from "./export";
import { followEvents, type FollowOptions } from "./event-feed";
import { checkEvents, declaredEvents, declareEvents } from "./events";
import type { AppendInput, EventOf, OwnEvents, SessionEvent } from "./events";
import type { Fields, FieldsInput, FieldsView } from "./fields";
import { waitForEvent, type WaitOptions } from "./wait-for";
import type {
  AuditQuery,
  CallOptions,
  CheckpointInput,
  DeliveryQuery,
  EventInput,
  ForkInput,
  EndpointChanges,
  EndpointInput,
  HandoffInput,
  AnnounceInput,
  JobInput,
  UploadInput,
  LinkInput,
  ReplayInput,
  RequestInputInput,
  ResumeInput,
  RevokeInput,
  SetInput,
  StopInput,
  WriteOptions,
} from "./inputs";
import type { WriteRequest } from "./write-request";
import { checkOptions } from "./known-options";
import { holdLease, runOnce, type Lease, type LeaseOptions, type OnceOptions } from "./lease";
import { storeContent, packEvents, readContent, unpackEvents } from "./large-content";
import type { LargeContent } from "./large-content";
import { TokenLine } from "./token-line";
import { isDisjoint } from "./merge";
import type {
  Appended,
  AuditPage,
  Checkpoint,
  CheckpointContent,
  DeliveryPage,
  EventsPage,
  Endpoint,
  EndpointMade,
  HandoffMade,
  HandoffView,
  LinkMade,
  Uploaded,
  LineageEntry,
  Resumable,
  Resumed,
  Stopped,
  Paused,
  Validation,
  Certificate,
  PrivateValue,
  Proof,
  Proven,
} from "./outputs";
import { queryOf } from "./query";
import { runWithResume, type RunOptions, type RunOutcome, type Work } from "./run-with-resume";
import { withoutSecrets, type Settled, type SettledRequest } from "./settled";
import { emptySavedSession, type SavedSession } from "./token-store";
import type { WireAnswer } from "./transport";

/** Options of an append. */
export interface AppendOptions extends CallOptions {
  /** An idempotency key, if the caller must be able to repeat this append after a crash. */
  readonly key?: string;
}

/** Computes a change from the current session; null if there is nothing to do. */
export type Change<F extends object = Fields> = (
  current: SessionView<FieldsView<F>>,
) => SetInput<F> | null;

/** The arguments of work under a lease. */
export interface LeaseContext<F extends object = Fields, E extends object = OwnEvents> {
  /** The session whose requests name the lease: they are refused once it is lost. */
  readonly session: Session<F, E>;
  /** The lease. */
  readonly lease: Lease;
  /** Aborts when the lease is lost, with a `LeaseLostError` as its reason. */
  readonly signal: AbortSignal;
}

/** The result of a fork. */
export type ForkResult<F extends object = Fields, E extends object = OwnEvents> = WriteResult<
  F,
  {
    /** The new session, saved under its id. */
    readonly child: Session<F, E>;
    /** How to continue, as a prompt for a model. */
    readonly prompt: string;
  }
>;

/** Options of writes that set fields. */
export interface SetOptions extends WriteOptions, ContentionOptions {
  /**
   * If another writer was faster: `"merge"` writes again as long as no one else changed the same
   * fields, title or next step, for 30 s (`conflictTimeoutMs`). Default `"return"`: the conflict is
   * the result.
   */
  readonly onConflict?: "merge" | "return";
}

interface ReasonInput {
  /** Why, for the log. */
  readonly reason?: string;
}

interface ForkResponse {
  readonly session: SessionView;
  readonly child: SessionView | null;
  readonly childToken: string;
  readonly prompt: string;
}

/** Options of `update`. */
export interface UpdateOptions extends CallOptions, ContentionOptions {
  /** The maximum number of attempts. Default: limited only by time. */
  readonly attempts?: number;
}

/**
 * A session. `F` are its fields, `E` the events that you append yourself: `baton.session<Visa>()`
 * declares them.
 *
 * @example
 * ```ts
 * const session = await baton.open("visa-17", { title: "Visa" });
 * unwrap(await session.setFields({ country: "PT" }));
 * ```
 */
export class Session<F extends object = Fields, E extends object = OwnEvents> {
  readonly #line: TokenLine;
  #state: SessionView<FieldsView<F>> | null = null;
  #resumed: Resumed<E> | null = null;
  readonly #recovered: Settled | null;
  #packing: Promise<unknown> = Promise.resolve();
  /** Effects that are running: a second call waits for the first. */
  readonly #onces = new Map<string, Promise<Json>>();

  /** @internal */
  constructor(
    tokenLine: TokenLine,
    recovered: SettledRequest | null = null,
    created: WireAnswer | null = null,
  ) {
    this.#line = tokenLine;
    this.#recovered = withoutSecrets(recovered);
    this.#updateState((created ?? recovered?.answer)?.body);
  }

  /** The session's id, `ses_…`. */
  get id(): string {
    const { sessionId } = this.#line.saved;
    if (sessionId === null) throw new StoreError("The id of this session is not known yet.");
    return sessionId;
  }

  /** The name under which it is saved. */
  get name(): string {
    return this.#line.name;
  }

  /** The address of its server. */
  get url(): string {
    return this.#line.saved.url;
  }

  /** The newest token. Anyone who has it can act as this participant. */
  get token(): string {
    return this.#line.token;
  }

  /** The session as last seen; `get()` reads it again. Null before the first response. */
  get state(): SessionView<FieldsView<F>> | null {
    return this.#state;
  }

  /** The result of the last resume, with the events since the one before. */
  get resumed(): Resumed<E> | null {
    return this.#resumed;
  }

  /**
   * The request that an earlier process left unanswered and this one finished. Contains no token.
   */
  get recovered(): Settled | null {
    return this.#recovered;
  }

  /**
   * What the store holds for this session, including its valid token: protect it like a password.
   */
  get saved(): SavedSession {
    return this.#line.saved;
  }

  /** Reads the session as it is now. */
  async get({ signal }: CallOptions = {}): Promise<SessionView<FieldsView<F>>> {
    const { body } = await this.#line.read("", { signal });
    this.#updateState(body);
    return body.session;
  }

  /** Finishes a request that got no response, after a TransportError or an abort. */
  async settle({ signal }: CallOptions = {}): Promise<Settled | null> {
    const settled = await this.#line.settle(signal);
    this.#updateState(settled?.answer.body);
    return withoutSecrets(settled);
  }

  // Resuming

  /**
   * Resumes the session: invalidates earlier tokens of this participant, and returns the events
   * since the last resume.
   */
  async resume(input: ResumeInput = {}, { signal }: CallOptions = {}): Promise<Resumed<E>> {
    const body = await this.#write("resume", "POST", "/resume", input, { signal });
    const { outcome, warning, head, more, ...rest }: Resumed = body;
    const events = (await unpackEvents(this.#line, rest.events, signal)) as Resumed<E>["events"];
    const resumed = { outcome, events, head, more, ...(warning === undefined ? {} : { warning }) };
    this.#resumed = resumed;
    return resumed;
  }

  /** Checks whether a resume would succeed, without doing it. */
  async resumable(
    query: { readonly lastEventSeq?: number; readonly auto?: boolean } & CallOptions = {},
  ): Promise<Resumable> {
    const { signal, ...rest } = query;
    return (await this.#line.read(`/resumable${queryOf(rest)}`, { signal })).body;
  }

  // The document

  /** Sets fields, title and next step. `null` removes a field. */
  async set(input: SetInput<F>, options: SetOptions = {}): Promise<WriteResult<F>> {
    const known = ["onConflict", "conflictTimeoutMs", "ifMatch", "signal"];
    checkOptions("set", options, known, { onConflict: ["merge", "return"] });
    const { onConflict = "return", ifMatch, signal } = options;
    const contention = new ContentionBackoff(this.#line.config, options);
    let base = this.#state;
    let result = await this.#writeOrConflict("setFields", "PATCH", "", input, { ifMatch, signal });
    while (!result.ok) {
      const { conflict } = result;
      const isMerged = onConflict === "merge" && isDisjoint(input, base, conflict);
      if (!isMerged || !(await contention.wait(signal))) break;
      base = conflict.current;
      const retry = { ifMatch: base.version, signal };
      result = await this.#writeOrConflict("setFields", "PATCH", "", input, retry);
    }
    return ifMatch === undefined ? asVersionConflict(result) : result;
  }

  /** Sets fields. `null` removes a field. */
  setFields(fields: FieldsInput<F>, options?: SetOptions): Promise<WriteResult<F>> {
    return this.set({ fields }, options);
  }

  /**
   * Applies a change to the current state, and again to the newer state whenever another writer was
   * faster, for 30 s (`conflictTimeoutMs`). Returns null if the change finds nothing to do.
   */
  async update(change: Change<F>, options: UpdateOptions = {}): Promise<WriteResult<F> | null> {
    checkOptions("update", options, ["conflictTimeoutMs", "attempts", "signal"]);
    const { attempts = Infinity, signal } = options;
    const contention = new ContentionBackoff(this.#line.config, options);
    let current = this.#state ?? (await this.get({ signal }));
    for (let attempt = 1; ; attempt += 1) {
      const input = change(current);
      if (input === null) return null;
      const seen = { ifMatch: current.version, signal };
      const result = await this.#writeOrConflict("setFields", "PATCH", "", input, seen);
      if (result.ok || attempt >= attempts || !(await contention.wait(signal))) {
        return asVersionConflict(result);
      }
      ({ current } = result.conflict);
    }
  }

  /** Checks whether the fields, with these changes, could be submitted. Writes nothing. */
  async validate(fields: FieldsInput<F> = {}, { signal }: CallOptions = {}): Promise<Validation> {
    const options = { method: "POST", body: { fields }, signal } as const;
    return (await this.#line.read("/validate", options)).body;
  }

  /** Requests input: the session waits for the next participant. */
  requestInput(input: RequestInputInput = {}, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("requestInput", "POST", "/request-input", input, options);
  }

  // Review and end

  /** Submits the fields, which must be complete and valid. */
  submit(options?: WriteOptions): Promise<WriteResult<F, Proven>> {
    return this.#writeWithProof("submit", {}, options);
  }

  /** Approves what was submitted. */
  approve(
    input: { readonly comment?: string } = {},
    options?: WriteOptions,
  ): Promise<WriteResult<F, Proven>> {
    return this.#writeWithProof("approve", input, options);
  }

  /** Rejects what was submitted; the session ends. */
  reject(input: ReasonInput = {}, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("reject", "POST", "/reject", input, options);
  }

  /** Returns what was submitted for changes, with optional comments on fields. */
  requestChanges(
    input: { readonly comment?: string; readonly fields?: Readonly<Record<string, string>> } = {},
    options?: WriteOptions,
  ): Promise<WriteResult<F>> {
    return this.#writeOrConflict("requestChanges", "POST", "/request-changes", input, options);
  }

  /** Ends the session successfully. */
  finalize(input: ReasonInput = {}, options?: WriteOptions): Promise<WriteResult<F, Proven>> {
    return this.#writeWithProof("finalize", input, options);
  }

  /** Ends the session without a result. */
  cancel(input: ReasonInput = {}, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("cancel", "POST", "/cancel", input, options);
  }

  /** Stops automatic resumes and due tasks. People and agents can still act. */
  async pause(input: ReasonInput = {}, options?: CallOptions): Promise<Paused<F>> {
    return this.#write("pause", "POST", "/pause", input, options);
  }

  /** Allows automatic resumes again. */
  async unpause(input: ReasonInput = {}, options?: CallOptions): Promise<Paused<F>> {
    return this.#write("unpause", "POST", "/unpause", input, options);
  }

  /** Sets the expiry of the session to `ttlMs` from now. */
  async extend(ttlMs: number, options?: CallOptions): Promise<SessionView<FieldsView<F>>> {
    return (await this.#write("extend", "POST", "/extend", { ttlMs }, options)).session;
  }

  /**
   * Deletes the session permanently, and what is saved of it. Returns null if it was already gone.
   */
  async purge(options: CallOptions = {}): Promise<Certificate | null> {
    let certificate: Certificate | null = null;
    try {
      ({ certificate } = await this.#write("purge", "DELETE", "", undefined, options));
    } catch (error) {
      if (!(error instanceof WireError && error.code === "gone")) throw error;
    }
    await this.#line.forget();
    return certificate;
  }

  // The log

  /**
   * Appends events in the order of calls. Spends no token. If events are declared, only those are
   * accepted; if they have schemas, an invalid payload throws a `TypeError` and nothing is sent.
   */
  async append(
    events: AppendInput<E> | readonly AppendInput<E>[],
    { key, signal }: AppendOptions = {},
  ): Promise<Appended> {
    const list = (Array.isArray(events) ? events : [events]) as readonly EventInput[];
    const body = { events: await this.#pack(list, signal) };
    return this.#write("append", "POST", "/events", body, { key, signal });
  }

  /** Appends only if the log still ends at `expectedHead`. */
  async appendAt(
    expectedHead: number,
    events: readonly AppendInput<E>[],
    options: AppendOptions = {},
  ): Promise<({ readonly ok: true } & Appended) | Extract<WriteResult<F>, { readonly ok: false }>> {
    const packed = await this.#pack(events as readonly EventInput[], options.signal);
    const body = { events: packed, expectedHead };
    const sent = this.#write("append", "POST", "/events", body, options);
    return catchConflict(
      sent.then((appended) => ({ ok: true, ...appended }) as never),
    ) as Promise<never>;
  }

  /** One page of the log. If there is no event, `waitMs` waits this long for the next one. */
  async page<const T extends string = string>(
    query: {
      readonly after?: number;
      readonly limit?: number;
      readonly types?: readonly T[];
      readonly waitMs?: number;
    } & CallOptions = {},
  ): Promise<EventsPage<EventOf<T, E>>> {
    const { signal, types, ...rest } = query;
    const path = `/events${queryOf({ ...rest, type: types?.join(",") })}`;
    const options = { extraTimeMs: query.waitMs ?? 0, signal };
    const page = (await this.#line.read(path, options)).body as EventsPage;
    return { ...page, events: (await unpackEvents(this.#line, page.events, signal)) as never };
  }

  /**
   * Every event after `after`, each once, and then new events live, across broken connections. With
   * `types` the events are typed by them.
   */
  events<const T extends string = string>(
    options: FollowOptions<T> = {},
  ): AsyncGenerator<EventOf<T, E>, void, undefined> {
    return followEvents(this.#line, options) as AsyncGenerator<never, void, undefined>;
  }

  /**
   * The next event of this type, such as `handoff.answered`, or of one of these types. Null if
   * `timeoutMs` is over or the session has ended first.
   */
  waitFor<const T extends string>(
    type: T | readonly T[],
    options: WaitOptions = {},
  ): Promise<EventOf<T, E> | null> {
    const types = typeof type === "string" ? [type] : type;
    return waitForEvent(this.#line, types, options) as Promise<never>;
  }

  /** One page of the log, filtered by type, actor, outcome and time. */
  async audit(query: AuditQuery & CallOptions = {}): Promise<AuditPage<SessionEvent<E>>> {
    const { signal, type, ...rest } = query;
    const path = `/audit${queryOf({ ...rest, type: type?.join(",") })}`;
    return (await this.#line.read(path, { signal })).body;
  }

  /** Registers an address that notices are posted to. Its secret is returned only here. */
  async addEndpoint(input: EndpointInput, options?: CallOptions): Promise<EndpointMade> {
    return this.#write("addEndpoint", "POST", "/endpoints", input, options);
  }

  /** The session's endpoints, oldest first. */
  async endpoints({ signal }: CallOptions = {}): Promise<readonly Endpoint[]> {
    return (await this.#line.read("/endpoints", { signal })).body.endpoints;
  }

  /** Changes address, notices, format or labels; `status: "active"` ends a suspension. */
  async changeEndpoint(
    id: string,
    changes: EndpointChanges,
    options?: CallOptions,
  ): Promise<Endpoint> {
    const path = endpointPath(id);
    return (await this.#write("changeEndpoint", "PATCH", path, changes, options)).endpoint;
  }

  /** Removes the endpoint; nothing more is posted to it. */
  async removeEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#write("removeEndpoint", "DELETE", endpointPath(id), undefined, options);
  }

  /** Creates a new secret; for one day deliveries are signed with both. */
  async rotateEndpoint(id: string, options?: CallOptions): Promise<EndpointMade> {
    return this.#write("rotateEndpoint", "POST", `${endpointPath(id)}/rotate`, {}, options);
  }

  /** Deliveries with their attempts and responses, newest first. */
  async deliveries(id: string, query: DeliveryQuery & CallOptions = {}): Promise<DeliveryPage> {
    const { signal, ...rest } = query;
    const path = `${endpointPath(id)}/deliveries${queryOf(rest)}`;
    return (await this.#line.read(path, { signal })).body;
  }

  /**
   * Sends deliveries again, including those that were given up: one, or all since a time. Ends a
   * suspension.
   */
  async replayDeliveries(id: string, input: ReplayInput, options?: CallOptions): Promise<void> {
    await this.#write("replayDeliveries", "POST", `${endpointPath(id)}/replay`, input, options);
  }

  // Private values

  /** The value of a private field, which is shown as a hash everywhere else. */
  async private(field: string, { signal }: CallOptions = {}): Promise<PrivateValue> {
    const path = `/private/${encodeURIComponent(field)}`;
    return (await this.#line.read(path, { signal })).body.private;
  }

  /** Deletes the value of a private field permanently; its hash stays. */
  async erasePrivate(field: string, options?: CallOptions): Promise<SessionView> {
    const path = `/private/${encodeURIComponent(field)}`;
    return (await this.#write("erasePrivate", "DELETE", path, undefined, options)).session;
  }

  // Evidence

  /** A signed head of the log, or of any seq in it. */
  async proof({ seq, signal }: CallOptions & { readonly seq?: number } = {}): Promise<Proof> {
    return (await this.#line.read(`/proof${queryOf({ seq })}`, { signal })).body.proof;
  }

  /** A signed receipt: who filled in what, and who approved it. */
  async receipt({ signal }: CallOptions = {}): Promise<JsonObject> {
    return (await this.#line.read("/receipt", { signal })).body.receipt;
  }

  /**
   * The whole log with its chain, as `verifyExport` of `@baton-sessions/baton/verify` and `baton verify`
   * read it; with `files` also every file.
   */
  export(
    options: CallOptions & { readonly files?: boolean } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return openExport(this.#line, options);
  }

  // Participants

  /** Creates a participant for another agent; pass its token to that agent. */
  async handoff(input: HandoffInput, options?: CallOptions): Promise<HandoffMade> {
    return this.#write("handoff", "POST", "/handoffs", { to: "agent", ...input }, options);
  }

  /** Creates a short link for a person; send its address, or show its QR code. */
  async handoffToPerson(input: LinkInput, options?: CallOptions): Promise<LinkMade> {
    return this.#write("handoff", "POST", "/handoffs", { to: "human", ...input }, options);
  }

  /**
   * Asks a person once, and waits for the answer. The program may be killed and restarted at any
   * moment: the same question in the same session is found again, and the link is sent once.
   * Returns the event that ended the question, with the session resumed so that you can write. Null
   * if `timeoutMs` is over or the session has ended; after a timeout the same call continues to
   * wait.
   *
   * @example
   * ```ts
   * const answer = await session.askPerson(
   *   { question: "Which day?" },
   *   { send: ({ url }) => console.log(`Please open ${url}`), timeoutMs: 60_000 },
   * );
   * if (answer?.type === "handoff.answered") console.log(session.state?.fields);
   * ```
   */
  askPerson(input: AskInput, options: AskOptions): Promise<EventOf<AskOutcome, E> | null> {
    return askPerson(this as unknown as Session, this.#line, input, options) as Promise<never>;
  }

  /** Creates a new code for a link; the old code stops working. */
  async reissue(
    id: string,
    input: { readonly ttlMs?: number } = {},
    options?: CallOptions,
  ): Promise<LinkMade> {
    const path = `/handoffs/${encodeURIComponent(id)}/reissue`;
    return this.#write("reissue", "POST", path, input, options);
  }

  /** The handoffs that this participant created. */
  async handoffs({ signal }: CallOptions = {}): Promise<readonly HandoffView[]> {
    return (await this.#line.read("/handoffs", { signal })).body.handoffs;
  }

  /** Revokes a handoff, with every participant that it created. */
  async revokeHandoff(id: string, options?: CallOptions): Promise<SessionView<FieldsView<F>>> {
    const path = `/handoffs/${encodeURIComponent(id)}`;
    return (await this.#write("revokeHandoff", "DELETE", path, undefined, options)).session;
  }

  /** Revokes a participant and those it created, or all other participants. */
  async revoke(input: RevokeInput, options?: CallOptions): Promise<SessionView<FieldsView<F>>> {
    return (await this.#write("revoke", "POST", "/revoke", input, options)).session;
  }

  // Stops, checkpoints, forks

  /** Reports why the work stopped, and returns the server's decision. Spends no token. */
  async report(stop: StopInput, options?: CallOptions): Promise<Stopped> {
    return this.#write("reportStop", "POST", "/stops", stop, options);
  }

  /** Takes a verified copy of the document. */
  async checkpoint(input: CheckpointInput = {}, options?: CallOptions): Promise<Checkpoint> {
    return (await this.#write("checkpoint", "POST", "/checkpoints", input, options)).checkpoint;
  }

  /** All checkpoints, newest first. */
  async checkpoints({ signal }: CallOptions = {}): Promise<readonly Checkpoint[]> {
    return (await this.#line.read("/checkpoints", { signal })).body.checkpoints;
  }

  /** A checkpoint with its document. */
  async getCheckpoint(id: string, { signal }: CallOptions = {}): Promise<CheckpointContent> {
    return (await this.#line.read(checkpointPath(id), { signal })).body.checkpoint;
  }

  /** Protects a checkpoint from pruning, or ends the protection. */
  async pinCheckpoint(id: string, pinned: boolean, options?: CallOptions): Promise<Checkpoint> {
    const path = checkpointPath(id);
    return (await this.#write("pinCheckpoint", "PATCH", path, { pinned }, options)).checkpoint;
  }

  /** Removes a checkpoint. */
  async deleteCheckpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#write("deleteCheckpoint", "DELETE", checkpointPath(id), undefined, options);
  }

  /** Restores the document from a checkpoint. */
  restoreCheckpoint(id: string, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("restore", "POST", `${checkpointPath(id)}/restore`, {}, options);
  }

  /** Removes from the log the events below a checkpoint that you and jobs wrote. */
  async trim(
    checkpoint: string,
    options?: CallOptions,
  ): Promise<{ readonly floor: number; readonly trimmed: boolean }> {
    return this.#write("trim", "POST", "/trim", { checkpoint }, options);
  }

  /**
   * Creates a new session from this one. With `succeed`, opening this session's saved name from now
   * on opens the child.
   */
  fork(
    { succeed = false, ...input }: ForkInput & { readonly succeed?: boolean } = {},
    options: WriteOptions = {},
  ): Promise<ForkResult<F, E>> {
    const writeFork = async (): Promise<ForkResult<F, E>> => {
      const rest = { ...options, isSuccession: succeed };
      const body = await this.#write("fork", "POST", "/fork", input, rest);
      const { session, child, childToken, prompt }: ForkResponse = body;
      const { store, config, saved } = this.#line;
      const { id = null, title = null, state = null } = child ?? {};
      const identity = { sessionId: id, title, state, token: childToken };
      const savedChild = {
        ...emptySavedSession(saved.url),
        ...identity,
        ...(succeed ? { prompt } : {}),
      };
      const tokenLine = new TokenLine(store, id ?? `${this.name}-fork`, savedChild, config);
      const fork = new Session<F, E>(tokenLine);
      fork.#state = child as never;
      declareEvents(fork, declaredEvents(this));
      return { ok: true, session: session as never, child: fork, prompt };
    };
    return catchConflict(writeFork()) as Promise<ForkResult<F, E>>;
  }

  /** The lineage of forks that this session belongs to. */
  async lineage({ signal }: CallOptions = {}): Promise<readonly LineageEntry[]> {
    return (await this.#line.read("/lineage", { signal })).body.lineage;
  }

  /**
   * Runs `work` and follows the server's decisions: wait and resume, continue in a fork, or stop.
   * If an earlier process left a wait unfinished, waits for its end first.
   */
  runWithResume<T>(
    work: Work<T, F, E>,
    options: RunOptions<F, E> = {},
  ): Promise<RunOutcome<T, F, E>> {
    return runWithResume(this, work, this.#line.config.clock, options);
  }

  // Leases

  /**
   * Runs `work` while this process holds the lease: nobody else who takes the same lease works at
   * the same time. The lease is renewed until `work` ends, and then released. If it is lost, the
   * signal of the context aborts and every request of its session is refused. If somebody else
   * holds it, throws a `WireError` with the code `lease_held`.
   *
   * @example
   * ```ts
   * await session.lease("nightly", async ({ session, signal }) => {
   *   await session.append({ type: "nightly.began" }, { signal });
   * });
   * ```
   */
  lease<T>(
    name: string,
    work: (context: LeaseContext<F, E>) => Promise<T>,
    options: LeaseOptions = {},
  ): Promise<T> {
    const run = async (line: TokenLine, lease: Lease, signal: AbortSignal): Promise<T> => {
      const session = new Session<F, E>(line);
      session.#state = this.#state;
      declareEvents(session, declaredEvents(this));
      try {
        return await work({ session, lease, signal });
      } finally {
        this.#state = session.#state;
      }
    };
    return holdLease(this.#line, name, run, options);
  }

  /**
   * Runs an effect in another system at most once, and returns its result: if the result is
   * recorded, the effect is not run. Only on the session that `lease` passes to its work. The
   * effect gets the key: pass it to the receiver as its idempotency key, because a process that
   * dies between the effect and its record leaves the outcome unknown.
   */
  once<T extends Json>(
    key: string,
    effect: (key: string) => Promise<T>,
    options: OnceOptions = {},
  ): Promise<T> {
    checkOptions("once", options, ["onUnknown", "signal"], { onUnknown: ["retry", "fail"] });
    if (this.#line.lease === null) {
      throw new TypeError("once needs a lease: call it on the session that lease() passes.");
    }
    const running = this.#onces.get(key);
    if (running !== undefined) return running as Promise<T>;
    const run = runOnce(this.#line, key, effect, options);
    this.#onces.set(key, run);
    return run.finally(() => this.#onces.delete(key));
  }

  // Jobs

  /** Submits a job to an agent. Spends no token. */
  async submitJob(input: JobInput, options?: CallOptions): Promise<JobView> {
    return (await this.#write("submitJob", "POST", "/jobs", input, options)).job;
  }

  /** All jobs of the session. */
  async jobs({ signal }: CallOptions = {}): Promise<readonly JobView[]> {
    const found: JobView[] = [];
    for (let cursor: unknown = 0; cursor !== null; ) {
      const path = `/jobs?limit=1000&cursor=${String(cursor)}`;
      const { jobs, nextCursor } = (await this.#line.read(path, { signal })).body;
      found.push(...jobs);
      cursor = nextCursor;
    }
    return found;
  }

  /** One job. */
  async job(id: string, { signal }: CallOptions = {}): Promise<JobView> {
    return (await this.#line.read(jobPath(id), { signal })).body.job;
  }

  /** Requests the cancellation of a job. */
  async cancelJob(id: string, input: ReasonInput = {}, options?: CallOptions): Promise<JobView> {
    const path = `${jobPath(id)}/cancel`;
    return (await this.#write("cancelJob", "POST", path, input, options)).job;
  }

  // Files

  /** Uploads a file: announces, sends and confirms it. */
  async upload(
    data: Uint8Array | Blob,
    input: UploadInput,
    options: CallOptions = {},
  ): Promise<Uploaded> {
    const size = data instanceof Blob ? data.size : data.byteLength;
    const { upload } = await this.requestUpload({ ...input, size }, options);
    await this.sendUpload(upload.id, data, input.type, options);
    return this.confirmUpload(upload.id, options);
  }

  /** Announces a file; `sendUpload` and `confirmUpload` follow. */
  async requestUpload(input: AnnounceInput, options?: CallOptions): Promise<Uploaded> {
    return this.#write("requestUpload", "POST", "/uploads", input, options);
  }

  /** Sends the bytes of an announced file; may be repeated until it is confirmed. */
  async sendUpload(
    id: string,
    data: Uint8Array | Blob,
    type: string,
    { signal }: CallOptions = {},
  ): Promise<void> {
    await this.#line.sendFile(uploadPath(id), data, type, signal);
  }

  /** Confirms that the bytes have arrived. */
  async confirmUpload(id: string, options?: CallOptions): Promise<Uploaded> {
    return this.#write("confirmUpload", "POST", `${uploadPath(id)}/confirm`, {}, options);
  }

  /** Removes a file. */
  async removeUpload(id: string, options?: CallOptions): Promise<SessionView<FieldsView<F>>> {
    return (await this.#write("removeUpload", "DELETE", uploadPath(id), undefined, options))
      .session;
  }

  /** The bytes of a confirmed file. */
  async download(id: string, { signal }: CallOptions = {}): Promise<Uint8Array> {
    return this.#line.readBytes(uploadPath(id), signal);
  }

  /**
   * Stores content of up to 1 GiB under the hashes of its parts, for events to refer to. The same
   * bytes are stored once. `append` does this automatically for events that are too large.
   */
  putBlob(data: Uint8Array | Blob | string, { signal }: CallOptions = {}): Promise<LargeContent> {
    return storeContent(this.#line, data, signal);
  }

  /** Reads what `putBlob` stored. */
  getBlob(content: LargeContent, { signal }: CallOptions = {}): Promise<Uint8Array> {
    return readContent(this.#line, content, signal);
  }

  /** Sequential, so that an append that stores its content first is not overtaken by the next. */
  #pack(events: readonly EventInput[], signal?: AbortSignal): Promise<readonly EventInput[]> {
    const packed = this.#packing.then(async () => {
      await checkEvents(this, events);
      return packEvents(this.#line, events, signal);
    });
    this.#packing = packed.catch(() => undefined);
    return packed;
  }

  async #write(
    operation: string,
    method: string,
    path: string,
    body: unknown,
    options: CallOptions & Pick<WriteRequest, "ifMatch" | "key" | "isSuccession"> = {},
  ): Promise<WireAnswer["body"]> {
    const { signal, ...rest } = options;
    const answer = await this.#line.write({ operation, method, path, body, ...rest }, signal);
    this.#updateState(answer.body);
    return answer.body;
  }

  async #writeOrConflict<T extends object = object>(
    operation: string,
    method: string,
    path: string,
    body: object,
    options: WriteOptions = {},
    extra: (answer: WireAnswer["body"]) => T = () => ({}) as T,
  ): Promise<WriteResult<F, T>> {
    const written = this.#write(operation, method, path, body, options);
    const result = (await catchConflict(
      written.then((answer) => ({ ok: true, session: answer.session, ...extra(answer) })),
    )) as WriteResult<F, T>;
    if (!result.ok) this.#state = result.conflict.current;
    return result;
  }

  #writeWithProof(
    operation: string,
    body: object,
    options?: WriteOptions,
  ): Promise<WriteResult<F, Proven>> {
    return this.#writeOrConflict(operation, "POST", `/${operation}`, body, options, proofIn);
  }

  #updateState(body: { readonly session?: unknown } | null | undefined): void {
    if (body?.session !== undefined) this.#state = body.session as SessionView<FieldsView<F>>;
  }
}

const proofIn = ({ proof = null }: Partial<Proven>): Proven => ({ proof });

const endpointPath = (id: string): string => `/endpoints/${encodeURIComponent(id)}`;
const checkpointPath = (id: string): string => `/checkpoints/${encodeURIComponent(id)}`;
const jobPath = (id: string): string => `/jobs/${encodeURIComponent(id)}`;
const uploadPath = (id: string): string => `/uploads/${encodeURIComponent(id)}`;
