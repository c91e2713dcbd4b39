/** Where it begins: a server's address, a store, and sessions made or taken up again. */
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

/** How a server is reached. */
export interface ConnectOptions {
  /** Where tokens are kept; absent: in memory. */
  readonly store?: TokenStore;
  /** In place of the global `fetch`. */
  readonly fetch?: ClientConfig["fetch"];
  /** In place of the system's clock, for tests. */
  readonly clock?: Clock;
  /** In place of `Math.random`, for tests. */
  readonly random?: () => number;
  /** How often and how long requests are tried again. */
  readonly retry?: Partial<RetryOptions>;
  /**
   * The owner's key (`bkey_…`), where the server lists owners. In Node it is the environment variable
   * `BATON_KEY` unless given; an empty variable is no key. Sent to this server alone, and never saved.
   */
  readonly key?: string;
}

/** A create of just this, whose answer never came. */
export const isUnanswered = ({ pending }: SavedSession, input: CreateInput): boolean =>
  pending?.operation === "create" && pending.body === JSON.stringify(input);

const CONNECT_OPTIONS = ["store", "fetch", "clock", "random", "retry", "key"];

const TOKEN = /^rtok_[A-Za-z0-9_-]+$/;

/**
 * A server, a store for tokens, and sessions that are begun or taken up again.
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
  /** Where tokens are kept. */
  readonly store: TokenStore;
  /** All sessions of the owner whose key this client has. */
  readonly sessions: Sessions;
  /** The owner's templates. */
  readonly templates: Templates;
  /** Where notices of all the owner's sessions are posted. */
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
      // Called by itself: as a method of another object some runtimes refuse it.
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

  /** What was saved under the name before is replaced. */
  async #adopt(answer: WireAnswer, name: string): Promise<Session> {
    await this.store.exclusively(name, () => this.store.remove(name));
    const tokenLine = this.#createLine(name);
    await tokenLine.adopt(() => Promise.resolve(answer));
    return new Session(tokenLine, null, answer);
  }

  /** Whether there is an owner's key: sessions can then be found by `externalId`. */
  get hasKey(): boolean {
    return this.#config.key !== undefined;
  }

  /** Asks nothing yet: the first request does. */
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

  /** Begins a session, saved under `as` or a random name. */
  async create(input: CreateInput = {}, options: Named = {}): Promise<Session> {
    checkOptions("create", options, ["as", "signal"]);
    const { as, signal } = options;
    const name = as ?? `session-${randomKey().slice(0, 12)}`;
    const session = await this.#create(name, input, signal);
    if (session === null) throw new StoreError(`There is already a session saved as "${name}".`);
    return session;
  }

  /** Null where one is saved under this name, perhaps only just by another process. */
  async #create(
    name: string,
    input: CreateInput,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<Session | null> {
    const tokenLine = this.#createLine(name);
    const begun = await tokenLine.create(input, signal, ended);
    if (begun === null) return null;
    const { answer, wasLeft } = begun;
    const recovered = wasLeft ? { operation: "create", isDone: true, answer } : null;
    return new Session(tokenLine, recovered, answer);
  }

  /**
   * Takes a session up again: by the name it is saved under, by what was saved, or by a token.
   * Finishes what was pending, then resumes; `session.resumed` has the events since.
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

  /** As resume, but without one: earlier tokens stay good, and nothing is written. */
  async attach(saved: string | SavedSession, options: Named = {}): Promise<Session> {
    const session = await this.#openSaved(saved, options);
    // A bare token does not say which session it opens.
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
    const isLeft = successor !== null && name !== null;
    return isLeft ? this.#openSaved(successor, { signal }) : new Session(tokenLine, recovered);
  }

  /**
   * Resumes what is saved under this name, or creates it: the one line for work that may crash.
   * However many processes that share the store ask at once, one session is begun.
   */
  async open(name: string, input: CreateInput = {}, options: OpenOptions = {}): Promise<Session> {
    const known = ["externalId", "onEnded", "resume", "signal"];
    checkOptions("open", options, known, { onEnded: ["fail", "fresh"] });
    const { signal, resume = true, onEnded } = options;
    const externalId = options.externalId ?? input.externalId;
    const byKey = externalId !== undefined && this.hasKey;
    const wanted = byKey ? { externalId, create: input, onEnded } : null;
    const saved = await this.store.load(name);
    const begun =
      saved === null ? await this.#createOrOpenByKey(name, input, wanted, signal) : null;
    if (begun !== null) return begun;
    try {
      const session = await this.#openSaved(name, { signal });
      // A create that was just finished needs no resume.
      const isNew = session.recovered?.operation === "create";
      if (resume && !isNew) await session.resume({}, { signal });
      // Where nothing was resumed, nothing has said yet that it is over.
      const isAsked = !resume && onEnded === "fresh";
      if (!isAsked || !isEndedState((await session.get({ signal })).state)) return session;
    } catch (error) {
      const isFresh = error instanceof SessionEndedError && onEnded === "fresh";
      if (!isFresh && !(wanted !== null && isAccessLost(error))) throw error;
    }
    // What was saved no longer opens anything: the key does, or a new session takes the name.
    if (wanted !== null) await this.store.remove(name);
    const anew = await this.#createOrOpenByKey(name, input, wanted, signal, saved);
    return anew ?? this.#openSaved(name, { signal });
  }

  /** Null where one is saved under this name meanwhile. */
  async #createOrOpenByKey(
    name: string,
    input: CreateInput,
    wanted: OpenByKeyInput | null,
    signal?: AbortSignal,
    ended: SavedSession | null = null,
  ): Promise<Session | null> {
    if (wanted === null) return this.#create(name, input, signal, ended);
    const tokenLine = this.#createLine(name);
    const answer = await tokenLine.adopt(
      () => openByKey(this.#requestWithKey, wanted, signal),
      signal,
    );
    if (answer === null) return null;
    const session = new Session(tokenLine);
    await session.get({ signal });
    return session;
  }

  /**
   * The session saved under this name, without a resume; null where there is none. Begins nothing. With
   * an owner's key and `externalId` also the one that the owner knows by that name, opened with all
   * scopes except `review`.
   */
  async find(name: string, options: FindOptions = {}): Promise<Session | null> {
    const known = ["externalId", "actor", "onEnded", "signal"];
    checkOptions("find", options, known, { onEnded: ["return", "ignore"] });
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

  async #lineFromSaved(given: string | SavedSession, as: string | undefined): Promise<TokenLine> {
    const saved =
      typeof given === "string" ? { ...emptySavedSession(this.url), token: given } : given;
    const name = as ?? saved.sessionId ?? `session-${randomKey().slice(0, 12)}`;
    await this.store.save(name, saved);
    return this.#createLine(name, saved);
  }

  #createLine(name: string, saved: SavedSession = emptySavedSession(this.url)): TokenLine {
    return new TokenLine(this.store, name, saved, this.#config);
  }
}
