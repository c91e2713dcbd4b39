/** The entry point of the SDK: connects to a server, and creates, opens and resumes sessions. */
import { systemClock, type Clock } from "./clock";
import {
  isEndedState,
  errorFromProblem,
  SessionEndedError,
  StoreError,
  type Problem,
} from "./errors";
import type { EventSchemas, EventsOf, OwnEvents } from "./events";
import { jsonSchemaOf } from "./fields";
import type { Fields, FieldsOf, FieldsSchema, StandardSchema } from "./fields";
import type { CreateInput, FindOptions, Named, OpenOptions, ResumeInput } from "./inputs";
import { randomKey } from "./write-request";
import { checkOptions } from "./known-options";
import { isOpen, isNotFound, isAccessLost, openByKey, type OpenByKeyInput } from "./open-by-key";
import { TokenLine } from "./token-line";
import { resolveOwnerKey } from "./owner-key";
import { Session } from "./session";
import { SessionKind } from "./session-kind";
import { createRequestWithKey, Sessions, type RequestWithKey } from "./sessions";
import { Endpoints } from "./endpoints";
import { Templates } from "./templates";
import {
  emptySavedSession,
  MemoryTokenStore,
  type SavedSession,
  type TokenStore,
} from "./token-store";
import { DEFAULT_RETRY, type ClientConfig, type RetryOptions, type WireAnswer } from "./transport";

/** How to connect to a server. */
export interface ConnectOptions {
  /** Where tokens are stored. Default: in memory. */
  readonly store?: TokenStore;
  /** Replaces the global `fetch`. */
  readonly fetch?: ClientConfig["fetch"];
  /** Replaces the system's clock, for tests. */
  readonly clock?: Clock;
  /** Replaces `Math.random`, for tests. */
  readonly random?: () => number;
  /** How often and how long requests are retried. */
  readonly retry?: Partial<RetryOptions>;
  /**
   * The owner's key (`bkey_…`), if the server has a list of owners. In Node the default is the
   * environment variable `BATON_KEY`; an empty variable means no key. The key is sent only to this
   * server and never saved.
   */
  readonly key?: string;
}

/** The saved request is a create with this input, and its response never arrived. */
export const isUnanswered = ({ pending }: SavedSession, input: CreateInput): boolean =>
  pending?.operation === "create" && pending.body === JSON.stringify(input);

const CONNECT_OPTIONS = ["store", "fetch", "clock", "random", "retry", "key"];

const TOKEN = /^rtok_[A-Za-z0-9_-]+$/;

/**
 * A server, a store for tokens, and the sessions that are created or resumed with them.
 *
 * @example
 * ```ts
 * const baton = Baton.connect("http://localhost:8787", { store: new FileTokenStore(".state") });
 * const session = await baton.open("my-work", { title: "My work" });
 * ```
 */
export class Baton {
  /** The address of the server. */
  readonly url: string;
  /** Where tokens are stored. */
  readonly store: TokenStore;
  /** All sessions of the owner whose key this client has. */
  readonly sessions: Sessions;
  /** The owner's templates. */
  readonly templates: Templates;
  /** The endpoints that notices of all the owner's sessions are posted to. */
  readonly endpoints: Endpoints;
  readonly #config: ClientConfig;
  readonly #requestWithKey: RequestWithKey;

  private constructor(url: string, options: ConnectOptions) {
    checkOptions("connect", options, CONNECT_OPTIONS);
    if (!URL.canParse(url)) {
      throw new TypeError(`"${url}" is not the address of a server, such as http://localhost:8787`);
    }
    const { protocol, origin, pathname } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") {
      throw new TypeError(`A server's address begins with http:// or https://, not ${protocol}`);
    }
    this.url = origin + pathname.replace(/\/+$/, "");
    this.store = options.store ?? new MemoryTokenStore();
    this.#config = {
      // Called as a plain function: some runtimes refuse it as a method of another object.
      fetch: options.fetch ?? ((address, init) => fetch(address, init)),
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      retry: { ...DEFAULT_RETRY, ...options.retry },
      ...resolveOwnerKey(options),
    };
    this.#requestWithKey = createRequestWithKey(this.#config, this.url);
    const { outageMs } = this.#config.retry;
    this.sessions = new Sessions(this.#requestWithKey, outageMs, (answer, as) =>
      this.#adopt(answer, as),
    );
    this.templates = new Templates(this.#requestWithKey);
    this.endpoints = new Endpoints(this.#requestWithKey);
  }

  /** Replaces what was saved under the name. */
  async #adopt(answer: WireAnswer, name: string): Promise<Session> {
    await this.store.exclusively(name, () => this.store.remove(name));
    const tokenLine = this.#createLine(name);
    await tokenLine.adopt(() => Promise.resolve(answer));
    return new Session(tokenLine, null, answer);
  }

  /** Whether there is an owner's key, so that sessions can be found by `externalId`. */
  get hasKey(): boolean {
    return this.#config.key !== undefined;
  }

  /** Sends no request yet. */
  static connect(url: string, options: ConnectOptions = {}): Baton {
    return new Baton(url, options);
  }

  /**
   * Sessions of one kind, typed by their fields and by the events that you append: from types alone,
   * from a zod schema (or another that follows Standard Schema), or from a JSON Schema `as const`. With
   * a schema, new sessions get it. `events` has a schema for each event that you append; they are
   * checked before they are sent.
   *
   * @example
   * ```ts
   * const visas = baton.session({
   *   type: "object",
   *   properties: { country: { type: "string" }, days: { type: "integer" } },
   *   required: ["country"],
   * } as const);
   * const session = await visas.open("visa-17", { fields: { country: "PT" } });
   * const days: number | undefined = session.state?.fields.days;
   * ```
   */
  session<F extends object = Fields, E extends object = OwnEvents>(): SessionKind<F, E>;
  session<const S extends FieldsSchema | StandardSchema, E extends object = OwnEvents>(
    schema: S,
  ): SessionKind<FieldsOf<S>, E>;
  session<const S extends FieldsSchema | StandardSchema | null, V extends EventSchemas>(
    schema: S,
    options: { readonly events: V },
  ): SessionKind<FieldsOf<S>, EventsOf<V>>;
  session(
    schema: FieldsSchema | StandardSchema | null = null,
    { events = null }: { readonly events?: EventSchemas | null } = {},
  ): object {
    return new SessionKind(this, schema === null ? null : jsonSchemaOf(schema), events);
  }

  /** Creates a session and saves it under `as`, or under a random name. */
  async create(input: CreateInput = {}, options: Named = {}): Promise<Session> {
    checkOptions("create", options, ["as", "signal"]);
    const { as, signal } = options;
    const name = as ?? `session-${randomKey().slice(0, 12)}`;
    const session = await this.#create(name, input, signal);
    if (session === null) throw new StoreError(`There is already a session saved as "${name}".`);
    return session;
  }

  /** Null if a session is saved under this name, perhaps only just now by another process. */
  async #create(
    name: string,
    input: CreateInput,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<Session | null> {
    const tokenLine = this.#createLine(name);
    const created = await tokenLine.create(input, signal, ended);
    if (created === null) return null;
    const { answer, wasUnanswered } = created;
    const recovered = wasUnanswered ? { operation: "create", isDone: true, answer } : null;
    return new Session(tokenLine, recovered, answer);
  }

  /**
   * Resumes a session: by the name it is saved under, by what was saved, or by a token. Finishes
   * the pending request first. `session.resumed` then has the events since the last resume.
   */
  async resume(
    saved: string | SavedSession,
    input: ResumeInput = {},
    options: Named = {},
  ): Promise<Session> {
    const session = await this.#openSaved(saved, options);
    await session.resume(input, { signal: options.signal });
    return session;
  }

  /** Like `resume`, but writes nothing: earlier tokens stay valid. */
  async attach(saved: string | SavedSession, options: Named = {}): Promise<Session> {
    const session = await this.#openSaved(saved, options);
    // A token alone does not contain the session's id.
    if (session.saved.sessionId === null) await session.get({ signal: options.signal });
    return session;
  }

  async #openSaved(saved: string | SavedSession, { as, signal }: Named): Promise<Session> {
    const name = typeof saved === "string" && !TOKEN.test(saved) ? saved : null;
    const tokenLine =
      name === null ? await this.#lineFromSaved(saved, as) : await this.#lineFromName(name);
    const recovered = await tokenLine.settle(signal);
    if (recovered?.operation === "create" && !recovered.isDone) {
      throw errorFromProblem(recovered.answer.body as Problem);
    }
    const { successor } = tokenLine.saved;
    const hasSuccessor = successor !== null && name !== null;
    return hasSuccessor
      ? this.#openSaved(successor, { signal })
      : new Session(tokenLine, recovered);
  }

  /**
   * Resumes the session saved under this name, or creates it: the one call for work that may crash.
   * Only one session is created, however many processes that share the store call this at once.
   */
  async open(name: string, input: CreateInput = {}, options: OpenOptions = {}): Promise<Session> {
    const allowed = ["externalId", "onEnded", "resume", "signal"];
    checkOptions("open", options, allowed, { onEnded: ["fail", "fresh"] });
    const { signal, resume = true, onEnded } = options;
    const externalId = options.externalId ?? input.externalId;
    const usesKey = externalId !== undefined && this.hasKey;
    const openInput = usesKey ? { externalId, create: input, onEnded } : null;
    const saved = await this.store.load(name);
    const created =
      saved === null ? await this.#createOrOpenByKey(name, input, openInput, signal) : null;
    if (created !== null) return created;
    try {
      const session = await this.#openSaved(name, { signal });
      // A create that has just been finished needs no resume.
      const isNew = session.recovered?.operation === "create";
      if (resume && !isNew) await session.resume({}, { signal });
      // Without a resume, it is not known yet whether the session has ended.
      const checksState = !resume && onEnded === "fresh";
      if (!checksState || !isEndedState((await session.get({ signal })).state)) return session;
    } catch (error) {
      const isFresh = error instanceof SessionEndedError && onEnded === "fresh";
      if (!isFresh && !(openInput !== null && isAccessLost(error))) throw error;
    }
    // The saved token no longer opens the session. The key opens it, or a new session takes the
    // name.
    if (openInput !== null) await this.store.remove(name);
    const replacement = await this.#createOrOpenByKey(name, input, openInput, signal, saved);
    return replacement ?? this.#openSaved(name, { signal });
  }

  /** Null if a session was saved under this name meanwhile. */
  async #createOrOpenByKey(
    name: string,
    input: CreateInput,
    openInput: OpenByKeyInput | null,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<Session | null> {
    if (openInput === null) return this.#create(name, input, signal, ended);
    const tokenLine = this.#createLine(name);
    const answer = await tokenLine.adopt(
      () => openByKey(this.#requestWithKey, openInput, signal),
      signal,
    );
    if (answer === null) return null;
    const session = new Session(tokenLine);
    await session.get({ signal });
    return session;
  }

  /**
   * The session saved under this name, without a resume, or null if there is none. Creates nothing.
   * With an owner's key and `externalId` it also finds the session that the owner knows by that id,
   * and opens it with all scopes except `review`.
   */
  async find(name: string, options: FindOptions = {}): Promise<Session | null> {
    const allowed = ["externalId", "actor", "onEnded", "signal"];
    checkOptions("find", options, allowed, { onEnded: ["return", "ignore"] });
    const { signal, externalId, onEnded, actor } = options;
    if ((await this.store.load(name)) !== null) {
      const session = await this.#openSaved(name, { signal });
      if (onEnded !== "ignore" || (await isOpen(session, signal))) return session;
    }
    if (externalId === undefined || !this.hasKey) return null;
    try {
      return await this.#adopt(
        await openByKey(this.#requestWithKey, { externalId, actor }, signal),
        name,
      );
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async #lineFromName(name: string): Promise<TokenLine> {
    const saved = await this.store.load(name);
    if (saved === null) throw new StoreError(`There is no session saved as "${name}".`);
    return this.#createLine(name, saved);
  }

  async #lineFromSaved(
    tokenOrSaved: string | SavedSession,
    as: string | undefined,
  ): Promise<TokenLine> {
    const saved =
      typeof tokenOrSaved === "string"
        ? { ...emptySavedSession(this.url), token: tokenOrSaved }
        : tokenOrSaved;
    const name = as ?? saved.sessionId ?? `session-${randomKey().slice(0, 12)}`;
    await this.store.save(name, saved);
    return this.#createLine(name, saved);
  }

  #createLine(name: string, saved: SavedSession = emptySavedSession(this.url)): TokenLine {
    return new TokenLine(this.store, name, saved, this.#config);
  }
}
