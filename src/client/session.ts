/**
 * A session as its holder works on it: every operation of the API as a method. Holds the last
 * state seen and a line of tokens; the order of calls is the order in the log. Long because the
 * API is one class to its user; a method is a call of the line and little more.
 */
import type { JsonObject } from "../domain/json";
import type { JobView } from "../domain/jobs/job";
import type { SessionView } from "../domain/session/view";
import { catchConflict, StoreError, WireError, type WriteResult } from "./errors";
import { askPerson, type AskEnding, type AskInput, type AskOptions } from "./ask-person";
import { asVersionConflict, ContentionBackoff, type ContentionOptions } from "./contention";
import { openExport } from "./export";
import { followEvents, type FollowOptions } from "./event-feed";
import { checkEvents, declaredEvents, declareEvents } from "./events";
import type { AppendInput, EventOf, OwnEvents, SessionEvent } from "./events";
import type { Fields, Given, Shown } from "./fields";
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
  /** Where the caller itself must be able to repeat this append after a crash. */
  readonly key?: string;
}

/** Makes a change from the session as it is; null where there is nothing to do. */
export type Change<F extends object = Fields> = (
  current: SessionView<Shown<F>>,
) => SetInput<F> | null;

/** What a fork gave. */
export type ForkResult<F extends object = Fields, E extends object = OwnEvents> = WriteResult<
  F,
  {
    /** The new session, saved under its id. */
    readonly child: Session<F, E>;
    /** How to go on, in words for a model. */
    readonly prompt: string;
  }
>;

/** Options of writes that set fields. */
export interface SetOptions extends WriteOptions, ContentionOptions {
  /**
   * Where somebody else was faster: `"merge"` writes again as long as nobody else changed the same
   * fields, title or next step, for 30 s (`conflictTimeoutMs`). Default `"return"`: the conflict is the
   * result.
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
  /** How often the change is made at most; absent: as often as the time allows. */
  readonly attempts?: number;
}

/**
 * A session as its holder works on it. `F` are its fields, `E` the events that you append yourself:
 * `baton.session<Visa>()` declares them.
 *
 * @example
 * ```ts
 * const session = await baton.open("visa-17", { title: "Visa" });
 * unwrap(await session.setFields({ country: "PT" }));
 * ```
 */
export class Session<F extends object = Fields, E extends object = OwnEvents> {
  readonly #line: TokenLine;
  #state: SessionView<Shown<F>> | null = null;
  #resumed: Resumed<E> | null = null;
  readonly #recovered: Settled | null;
  #packing: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(
    tokenLine: TokenLine,
    recovered: SettledRequest | null = null,
    begun: WireAnswer | null = null,
  ) {
    this.#line = tokenLine;
    this.#recovered = withoutSecrets(recovered);
    this.#updateState((begun ?? recovered?.answer)?.body);
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

  /** The newest token. Whoever holds it acts as this participant. */
  get token(): string {
    return this.#line.token;
  }

  /** As last seen; `get()` asks again. Null before the first answer. */
  get state(): SessionView<Shown<F>> | null {
    return this.#state;
  }

  /** What the last resume gave: the events since the time before. */
  get resumed(): Resumed<E> | null {
    return this.#resumed;
  }

  /** What an earlier process had left unanswered and this one finished. Holds no token. */
  get recovered(): Settled | null {
    return this.#recovered;
  }

  /** What the store has of it, its live token included: keep it as you keep a password. */
  get saved(): SavedSession {
    return this.#line.saved;
  }

  /** Asks for the session as it is now. */
  async get({ signal }: CallOptions = {}): Promise<SessionView<Shown<F>>> {
    const { body } = await this.#line.read("", { signal });
    this.#updateState(body);
    return body.session;
  }

  /** Finishes a request that got no answer, after a TransportError or an abort. */
  async settle({ signal }: CallOptions = {}): Promise<Settled | null> {
    const settled = await this.#line.settle(signal);
    this.#updateState(settled?.answer.body);
    return withoutSecrets(settled);
  }

  // Resuming

  /** Takes the session up again: earlier tokens of this participant are spent, and the events since the last time are given. */
  async resume(input: ResumeInput = {}, { signal }: CallOptions = {}): Promise<Resumed<E>> {
    const body = await this.#write("resume", "POST", "/resume", input, { signal });
    const { outcome, warning, head, more, ...rest }: Resumed = body;
    const events = (await unpackEvents(this.#line, rest.events, signal)) as Resumed<E>["events"];
    const resumed = { outcome, events, head, more, ...(warning === undefined ? {} : { warning }) };
    this.#resumed = resumed;
    return resumed;
  }

  /** Whether a resume would succeed, without doing it. */
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
      const again = { ifMatch: base.version, signal };
      result = await this.#writeOrConflict("setFields", "PATCH", "", input, again);
    }
    return ifMatch === undefined ? asVersionConflict(result) : result;
  }

  /** Sets fields. `null` removes a field. */
  setFields(fields: Given<F>, options?: SetOptions): Promise<WriteResult<F>> {
    return this.set({ fields }, options);
  }

  /**
   * Makes a change from the state as it is, and makes it again from the newer state as often as
   * somebody else was faster, for 30 s (`conflictTimeoutMs`). Returns null where the change finds
   * nothing to do.
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

  /** Whether the fields, with these changes, would pass a submit. Writes nothing. */
  async validate(fields: Given<F> = {}, { signal }: CallOptions = {}): Promise<Validation> {
    const options = { method: "POST", body: { fields }, signal } as const;
    return (await this.#line.read("/validate", options)).body;
  }

  /** Asks for input: the session waits for whoever is meant. */
  requestInput(input: RequestInputInput = {}, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("requestInput", "POST", "/request-input", input, options);
  }

  // Review and ending

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

  /** Sends what was submitted back, with a comment for each field if you like. */
  requestChanges(
    input: { readonly comment?: string; readonly fields?: Readonly<Record<string, string>> } = {},
    options?: WriteOptions,
  ): Promise<WriteResult<F>> {
    return this.#writeOrConflict("requestChanges", "POST", "/request-changes", input, options);
  }

  /** Ends the session well. */
  finalize(input: ReasonInput = {}, options?: WriteOptions): Promise<WriteResult<F, Proven>> {
    return this.#writeWithProof("finalize", input, options);
  }

  /** Ends the session without a result. */
  cancel(input: ReasonInput = {}, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("cancel", "POST", "/cancel", input, options);
  }

  /** Holds back machines and what is due. People and agents may still act. */
  async pause(input: ReasonInput = {}, options?: CallOptions): Promise<Paused<F>> {
    return this.#write("pause", "POST", "/pause", input, options);
  }

  /** Lets machines go on. */
  async unpause(input: ReasonInput = {}, options?: CallOptions): Promise<Paused<F>> {
    return this.#write("unpause", "POST", "/unpause", input, options);
  }

  /** Moves the end of the session to `ttlMs` from now. */
  async extend(ttlMs: number, options?: CallOptions): Promise<SessionView<Shown<F>>> {
    return (await this.#write("extend", "POST", "/extend", { ttlMs }, options)).session;
  }

  /** Removes the session for good, and what is saved of it. Already gone counts as done, with null. */
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
   * Appends events in the order of calls. Spends no token. Where events are declared, only those are
   * taken; where they have schemas, a payload that does not fit throws a `TypeError` and nothing is sent.
   */
  async append(
    events: AppendInput<E> | readonly AppendInput<E>[],
    { key, signal }: AppendOptions = {},
  ): Promise<Appended> {
    const given = (Array.isArray(events) ? events : [events]) as readonly EventInput[];
    const body = { events: await this.#pack(given, signal) };
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

  /** One page of the log. `waitMs` waits so long for the next event where there is none. */
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
   * Every event after `after`, each once, and on as they happen, over breaks of the connection. With
   * `types` the events are typed by them.
   */
  events<const T extends string = string>(
    options: FollowOptions<T> = {},
  ): AsyncGenerator<EventOf<T, E>, void, undefined> {
    return followEvents(this.#line, options) as AsyncGenerator<never, void, undefined>;
  }

  /**
   * The next event of this type, such as `handoff.answered`, or of one of these types. Null where
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

  /** Registers an address that notices are posted to. Its secret is shown this once. */
  async addEndpoint(input: EndpointInput, options?: CallOptions): Promise<EndpointMade> {
    return this.#write("addEndpoint", "POST", "/endpoints", input, options);
  }

  /** The session's endpoints, oldest first. */
  async endpoints({ signal }: CallOptions = {}): Promise<readonly Endpoint[]> {
    return (await this.#line.read("/endpoints", { signal })).body.endpoints;
  }

  /** Address, notices, format or labels; `status: "active"` ends a suspension. */
  async changeEndpoint(
    id: string,
    changes: EndpointChanges,
    options?: CallOptions,
  ): Promise<Endpoint> {
    const path = endpointPath(id);
    return (await this.#write("changeEndpoint", "PATCH", path, changes, options)).endpoint;
  }

  /** Nothing is posted there any more. */
  async removeEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#write("removeEndpoint", "DELETE", endpointPath(id), undefined, options);
  }

  /** A new secret; for a day deliveries are signed with both. */
  async rotateEndpoint(id: string, options?: CallOptions): Promise<EndpointMade> {
    return this.#write("rotateEndpoint", "POST", `${endpointPath(id)}/rotate`, {}, options);
  }

  /** What was posted and what was answered, newest first. */
  async deliveries(id: string, query: DeliveryQuery & CallOptions = {}): Promise<DeliveryPage> {
    const { signal, ...rest } = query;
    const path = `${endpointPath(id)}/deliveries${queryOf(rest)}`;
    return (await this.#line.read(path, { signal })).body;
  }

  /** Sends deliveries again, given-up ones too: one, or all since a time. Ends a suspension. */
  async replayDeliveries(id: string, wish: ReplayInput, options?: CallOptions): Promise<void> {
    await this.#write("replayDeliveries", "POST", `${endpointPath(id)}/replay`, wish, options);
  }

  // Private values

  /** The value of a private field, which stands as a hash everywhere else. */
  async private(field: string, { signal }: CallOptions = {}): Promise<PrivateValue> {
    const path = `/private/${encodeURIComponent(field)}`;
    return (await this.#line.read(path, { signal })).body.private;
  }

  /** Deletes the value of a private field for good; its hash stays. */
  async erasePrivate(field: string, options?: CallOptions): Promise<SessionView> {
    const path = `/private/${encodeURIComponent(field)}`;
    return (await this.#write("erasePrivate", "DELETE", path, undefined, options)).session;
  }

  // Evidence

  /** A signed head of the log, or of any seq in it. */
  async proof({ seq, signal }: CallOptions & { readonly seq?: number } = {}): Promise<Proof> {
    return (await this.#line.read(`/proof${queryOf({ seq })}`, { signal })).body.proof;
  }

  /** What was filled by whom and who approved it, signed. */
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

  /** Makes a participant for another agent; its token is for you to give on. */
  async handoff(input: HandoffInput, options?: CallOptions): Promise<HandoffMade> {
    return this.#write("handoff", "POST", "/handoffs", { to: "agent", ...input }, options);
  }

  /** Makes a short link for a person; send its address, or show its QR code. */
  async handoffToPerson(input: LinkInput, options?: CallOptions): Promise<LinkMade> {
    return this.#write("handoff", "POST", "/handoffs", { to: "human", ...input }, options);
  }

  /**
   * Asks a person once, and waits for the answer. The program may be killed and started again at any
   * moment: the same question in the same session is found again, and the link is sent once. Returns
   * how it ended, with the session resumed so that you can write. Null where `timeoutMs` is over or the
   * session has ended; the same call then waits again.
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
  askPerson(input: AskInput, options: AskOptions): Promise<EventOf<AskEnding, E> | null> {
    return askPerson(this as unknown as Session, this.#line, input, options) as Promise<never>;
  }

  /** A new code for a link; the old one no longer opens it. */
  async reissue(
    id: string,
    input: { readonly ttlMs?: number } = {},
    options?: CallOptions,
  ): Promise<LinkMade> {
    const path = `/handoffs/${encodeURIComponent(id)}/reissue`;
    return this.#write("reissue", "POST", path, input, options);
  }

  /** The participants that this one made. */
  async handoffs({ signal }: CallOptions = {}): Promise<readonly HandoffView[]> {
    return (await this.#line.read("/handoffs", { signal })).body.handoffs;
  }

  /** Takes a handoff back, with what it made. */
  async revokeHandoff(id: string, options?: CallOptions): Promise<SessionView<Shown<F>>> {
    const path = `/handoffs/${encodeURIComponent(id)}`;
    return (await this.#write("revokeHandoff", "DELETE", path, undefined, options)).session;
  }

  /** Takes a participant's rights, with those it made, or everyone else's. */
  async revoke(input: RevokeInput, options?: CallOptions): Promise<SessionView<Shown<F>>> {
    return (await this.#write("revoke", "POST", "/revoke", input, options)).session;
  }

  // Stops, checkpoints, forks

  /** Says why the work stopped and is told what to do. Spends no token. */
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

  /** Keeps a checkpoint from being pruned, or lets it go. */
  async pinCheckpoint(id: string, pinned: boolean, options?: CallOptions): Promise<Checkpoint> {
    const path = checkpointPath(id);
    return (await this.#write("pinCheckpoint", "PATCH", path, { pinned }, options)).checkpoint;
  }

  /** Removes a checkpoint. */
  async deleteCheckpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#write("deleteCheckpoint", "DELETE", checkpointPath(id), undefined, options);
  }

  /** Sets the document back to a checkpoint. */
  restoreCheckpoint(id: string, options?: WriteOptions): Promise<WriteResult<F>> {
    return this.#writeOrConflict("restore", "POST", `${checkpointPath(id)}/restore`, {}, options);
  }

  /** Removes your own and jobs' events below a checkpoint from the log. */
  async trim(
    checkpoint: string,
    options?: CallOptions,
  ): Promise<{ readonly floor: number; readonly trimmed: boolean }> {
    return this.#write("trim", "POST", "/trim", { checkpoint }, options);
  }

  /**
   * Begins a new session from this one. With `succeed`, whoever opens this session's saved name from
   * now on goes on in the child.
   */
  fork(
    { succeed = false, ...input }: ForkInput & { readonly succeed?: boolean } = {},
    options: WriteOptions = {},
  ): Promise<ForkResult<F, E>> {
    const forked = async (): Promise<ForkResult<F, E>> => {
      const rest = { ...options, isSuccession: succeed };
      const body = await this.#write("fork", "POST", "/fork", input, rest);
      const { session, child, childToken, prompt }: ForkResponse = body;
      const { store, config, saved } = this.#line;
      const { id = null, title = null, state = null } = child ?? {};
      const facts = { sessionId: id, title, state, token: childToken };
      const kept = { ...emptySavedSession(saved.url), ...facts, ...(succeed ? { prompt } : {}) };
      const tokenLine = new TokenLine(store, id ?? `${this.name}-fork`, kept, config);
      const fork = new Session<F, E>(tokenLine);
      fork.#state = child as never;
      declareEvents(fork, declaredEvents(this));
      return { ok: true, session: session as never, child: fork, prompt };
    };
    return catchConflict(forked()) as Promise<ForkResult<F, E>>;
  }

  /** The line of forks that this session stands in. */
  async lineage({ signal }: CallOptions = {}): Promise<readonly LineageEntry[]> {
    return (await this.#line.read("/lineage", { signal })).body.lineage;
  }

  /**
   * Runs `work` and follows the server's decisions: wait and resume, go on in a fork, or stop. A wait
   * that an earlier process began and did not end is waited for first.
   */
  runWithResume<T>(
    work: Work<T, F, E>,
    options: RunOptions<F, E> = {},
  ): Promise<RunOutcome<T, F, E>> {
    return runWithResume(this, work, this.#line.config.clock, options);
  }

  // Jobs

  /** Gives an agent a job. Spends no token. */
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

  /** Asks for the end of a job. */
  async cancelJob(id: string, input: ReasonInput = {}, options?: CallOptions): Promise<JobView> {
    const path = `${jobPath(id)}/cancel`;
    return (await this.#write("cancelJob", "POST", path, input, options)).job;
  }

  // Files

  /** Announces, sends and confirms a file. */
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
  async removeUpload(id: string, options?: CallOptions): Promise<SessionView<Shown<F>>> {
    return (await this.#write("removeUpload", "DELETE", uploadPath(id), undefined, options))
      .session;
  }

  /** The bytes of a confirmed file, checked against its hash on the way. */
  async download(id: string, { signal }: CallOptions = {}): Promise<Uint8Array> {
    return this.#line.readBytes(uploadPath(id), signal);
  }

  /**
   * Keeps content of up to 1 GiB apart, under the hashes of its parts, for events to name. The same
   * bytes are stored once. `append` does this by itself for events that are too large.
   */
  putBlob(data: Uint8Array | Blob | string, { signal }: CallOptions = {}): Promise<LargeContent> {
    return storeContent(this.#line, data, signal);
  }

  /** What `putBlob` kept, byte for byte. */
  getBlob(content: LargeContent, { signal }: CallOptions = {}): Promise<Uint8Array> {
    return readContent(this.#line, content, signal);
  }

  /** One after another: an append that waits for its content must not be overtaken by the next. */
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
    more: (answer: WireAnswer["body"]) => T = () => ({}) as T,
  ): Promise<WriteResult<F, T>> {
    const written = this.#write(operation, method, path, body, options);
    const result = (await catchConflict(
      written.then((answer) => ({ ok: true, session: answer.session, ...more(answer) })),
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
    if (body?.session !== undefined) this.#state = body.session as SessionView<Shown<F>>;
  }
}

const proofIn = ({ proof = null }: Partial<Proven>): Proven => ({ proof });

const endpointPath = (id: string): string => `/endpoints/${encodeURIComponent(id)}`;
const checkpointPath = (id: string): string => `/checkpoints/${encodeURIComponent(id)}`;
const jobPath = (id: string): string => `/jobs/${encodeURIComponent(id)}`;
const uploadPath = (id: string): string => `/uploads/${encodeURIComponent(id)}`;
