/**
 * One Baton session as an adapter uses it: a log of the adapter's own events, folded into what the
 * framework asks for. Opened by name without a resume, so that several processes and machines can
 * append side by side: the log's order is the truth, and every fold of it comes to the same.
 */
import type { Baton, CreateInput, EventInput, JsonObject, LogEvent, Session } from "../client";
import { WireError } from "../client";
import { sessionNameFor } from "./session-names";

export interface AdapterOptions {
  /** The connection. With a token store on disk it survives a restart; with a key, any machine. */
  readonly baton: Baton;
  /** Keeps apart what shares a store or an owner. Default `default`. */
  readonly namespace?: string;
  /** How long what nobody uses is kept. Default 90 days. */
  readonly idleTtlMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const IDLE_TTL_MS = 90 * DAY_MS;
/** As much as one answer may hold. */
const PAGE_EVENTS = 20_000;

/** What was appended, as the fold sees it. */
export interface JournalEntry {
  readonly seq: number;
  readonly type: string;
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number;
  readonly payload: JsonObject;
}

interface JournalState {
  /** Each event once, in the order of the log. */
  fold(entry: JournalEntry): void;
  /** The session was found to be gone: what was folded of it is void. */
  reset(): void;
}

/** Opens the session of this name, or begins one so. A title is cut to a length that the server takes. */
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

  /** Its name is made of `kind` and the framework's own ids. */
  constructor(options: AdapterOptions, state: F, title: string, kind: string, ...ids: string[]) {
    this.#options = options;
    this.state = state;
    this.#title = title;
    this.#name = () => sessionNameFor(kind, options.namespace, ...ids);
  }

  /** Folds what is new. False where there is no such session, and none is begun. */
  async catchUp(): Promise<boolean> {
    if (this.#session === null) {
      const name = await this.#name();
      const found = await this.#options.baton.find(name, { externalId: name });
      if (found === null) return false;
      this.#session ??= Promise.resolve(found);
    }
    try {
      // Whoever asks while another reads waits for a reading that began after it asked.
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

  /** Appends, beginning the session where there is none, and folds it with what came in between. */
  async append(events: readonly EventInput[]): Promise<void> {
    for (let isRetry = false; ; isRetry = true) {
      const session = await this.session();
      try {
        await session.append(events);
        await this.catchUp();
        return;
      } catch (error) {
        // It was purged or ran out under us, or only our right to it did: opening tells.
        if (isRetry || !isSessionLost(error, this.#options.baton)) throw error;
        await this.#forgetSession();
      }
    }
  }

  /** Appends only where nobody else has appended since the last reading. */
  async appendIfUnchanged(events: readonly EventInput[]): Promise<boolean> {
    const session = await this.session();
    const result = await session.appendAt(this.#lastSeq, events);
    await this.catchUp();
    return result.ok;
  }

  /** Removes the session and everything in it, where there is one. */
  async purge(): Promise<void> {
    if (!(await this.catchUp())) return;
    await (await this.session()).purge();
    await this.#forgetSession();
  }

  /** For content that is kept apart, and for links. */
  session(): Promise<Session> {
    this.#session ??= this.#name()
      .then((name) => openNamedSession(this.#options, name, this.#title))
      .catch((error: unknown) => {
        this.#session = null;
        throw error;
      });
    return this.#session;
  }

  /** The saved token opens nothing any more, and would keep the name from being used again. */
  async #forgetSession(): Promise<void> {
    await this.#options.baton.store.remove(await this.#name());
    this.#session = null;
    this.#lastSeq = 0;
    this.state.reset();
  }
}

/** With a key, a token that is no longer good is only one's own right to the session, which a key renews. */
const isSessionLost = (error: unknown, { hasKey }: Baton): boolean =>
  error instanceof WireError &&
  (error.code === "gone" || error.code === "expired" || (hasKey && error.code === "token_invalid"));

/** The one of this id, made when it is first asked for. */
export function getOrCreate<J>(journals: Map<string, J>, id: string, make: () => J): J {
  const journal = journals.get(id) ?? make();
  journals.set(id, journal);
  return journal;
}
