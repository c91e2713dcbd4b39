/**
 * A Baton session as adapters use it: a log of the adapter's events, folded into the state that the
 * framework needs. It is opened by name without a resume, so that several processes and machines
 * can append concurrently: the order of the log decides, and every fold of it has the same result.
 */
import type { Baton, CreateInput, EventInput, JsonObject, LogEvent, Session } from "../client";
import { WireError } from "../client";
import { sessionNameFor } from "./session-names";

export interface AdapterOptions {
  /**
   * The connection. With a token store on disk it survives a restart; with an owner's key it works
   * from any machine.
   */
  readonly baton: Baton;
  /** Separates names in a shared store or owner. Default `default`. */
  readonly namespace?: string;
  /** How long unused content is kept. Default 90 days. */
  readonly idleTtlMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const IDLE_TTL_MS = 90 * DAY_MS;
/** The maximum of one response. */
const PAGE_EVENTS = 20_000;

/** An appended event, as the fold receives it. */
export interface JournalEntry {
  readonly seq: number;
  readonly type: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
  readonly payload: JsonObject;
}

interface JournalState {
  /** Called once per event, in the order of the log. */
  fold(entry: JournalEntry): void;
  /** The session is gone: discards the folded state. */
  reset(): void;
}

/**
 * Opens the session of this name, or creates it. The title is cut to a length that the server
 * accepts.
 */
export function openNamedSession(
  { baton, idleTtlMs = IDLE_TTL_MS }: Pick<AdapterOptions, "baton" | "idleTtlMs">,
  name: string,
  title: string,
  lifetime: Pick<CreateInput, "ttlMs" | "idleTtlMs"> = { idleTtlMs },
): Promise<Session> {
  const input = { title: title.slice(0, 200), ...lifetime };
  return baton.open(name, input, { resume: false, externalId: name, onEnded: "fresh" });
}

export class Journal<F extends JournalState> {
  readonly state: F;
  readonly #options: AdapterOptions;
  readonly #title: string;
  readonly #name: () => Promise<string>;
  #session: Promise<Session> | null = null;
  #lastSeq = 0;
  #pendingRead: Promise<void> | null = null;

  /** The session's name is built from `kind` and the framework's ids. */
  constructor(options: AdapterOptions, state: F, title: string, kind: string, ...ids: string[]) {
    this.#options = options;
    this.state = state;
    this.#title = title;
    this.#name = () => sessionNameFor(kind, options.namespace, ...ids);
  }

  /** Folds new events. False if the session does not exist; none is created. */
  async catchUp(): Promise<boolean> {
    if (this.#session === null) {
      const name = await this.#name();
      const found = await this.#options.baton.find(name, { externalId: name });
      if (found === null) return false;
      this.#session ??= Promise.resolve(found);
    }
    try {
      // A call during a running read waits for a read that started after the call.
      await this.#pendingRead;
      this.#pendingRead ??= this.#read().finally(() => {
        this.#pendingRead = null;
      });
      await this.#pendingRead;
      return true;
    } catch (error) {
      if (!isSessionLost(error, this.#options.baton)) throw error;
      await this.#forgetSession();
      return false;
    }
  }

  async #read(): Promise<void> {
    const session = await this.session();
    for (let more = true; more; ) {
      const page = await session.page({ after: this.#lastSeq, limit: PAGE_EVENTS });
      for (const event of page.events) this.#foldEvent(event);
      this.#lastSeq = Math.max(this.#lastSeq, page.nextAfter);
      ({ more } = page);
    }
  }

  #foldEvent(event: LogEvent): void {
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    const { seq, type, at, payload } = event;
    this.state.fold({ seq, type, at: Date.parse(at), payload });
  }

  /** Appends events, creating the session if needed, and folds them with any events in between. */
  async append(events: readonly EventInput[]): Promise<void> {
    for (let isRetry = false; ; isRetry = true) {
      const session = await this.session();
      try {
        await session.append(events);
        await this.catchUp();
        return;
      } catch (error) {
        // It was purged or expired meanwhile, or only our access was; opening it again finds out.
        if (isRetry || !isSessionLost(error, this.#options.baton)) throw error;
        await this.#forgetSession();
      }
    }
  }

  /** Appends only if the log has not changed since the last read. */
  async appendIfUnchanged(events: readonly EventInput[]): Promise<boolean> {
    const session = await this.session();
    const result = await session.appendAt(this.#lastSeq, events);
    await this.catchUp();
    return result.ok;
  }

  /** Deletes the session and everything in it, if it exists. */
  async purge(): Promise<void> {
    if (!(await this.catchUp())) return;
    await (await this.session()).purge();
    await this.#forgetSession();
  }

  /** The session itself, for large content and links. */
  session(): Promise<Session> {
    this.#session ??= this.#name()
      .then((name) => openNamedSession(this.#options, name, this.#title))
      .catch((error: unknown) => {
        this.#session = null;
        throw error;
      });
    return this.#session;
  }

  /** The saved token no longer works, and would block the name. */
  async #forgetSession(): Promise<void> {
    await this.#options.baton.store.remove(await this.#name());
    this.#session = null;
    this.#lastSeq = 0;
    this.state.reset();
  }
}

/**
 * With a key, an invalid token only means that this access ended; the key opens the session again.
 */
const isSessionLost = (error: unknown, { hasKey }: Baton): boolean =>
  error instanceof WireError &&
  (error.code === "gone" || error.code === "expired" || (hasKey && error.code === "token_invalid"));

/** Returns the journal of this id, created on first use. */
export function getOrCreate<J>(journals: Map<string, J>, id: string, create: () => J): J {
  const journal = journals.get(id) ?? create();
  journals.set(id, journal);
  return journal;
}
