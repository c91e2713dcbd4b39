/**
 * Stores a session's newest token and its pending request. The request is saved before it is sent,
 * so that the next process can finish it after a crash. A store holds valid tokens: protect it like
 * passwords.
 */
import { StoreError } from "./errors";

/** A request that was or was about to be sent, and whose response is not known yet. */
export interface PendingRequest {
  /** The operation, such as `setFields`. */
  readonly operation: string;
  /** The method of the request. */
  readonly method: string;
  /** Its path below the session's. */
  readonly path: string;
  /** The body as text, so that a repeated request has identical bytes. */
  readonly body: string | null;
  /** Its Idempotency-Key. */
  readonly key: string;
  /** The version it requires; null if none was given. */
  readonly ifMatch: number | null;
  /** The token it is sent with; null for a create. */
  readonly token: string | null;
  /** A fork after which the work continues in the child. */
  readonly isSuccession: boolean;
  /** The lease that it names, as in the header. */
  readonly lease?: string;
}

/** What a store saves of a session. */
export interface SavedSession {
  /** The version of this format. */
  readonly format: 1;
  /** The address of the server. */
  readonly url: string;
  /** Null until the response to the create is known. */
  readonly sessionId: string | null;
  /** The newest token; null until the response to the create is known. */
  readonly token: string | null;
  /** A request whose response is not known yet. */
  readonly pending: PendingRequest | null;
  /** The title as last seen. */
  readonly title: string | null;
  /** The state as last seen. */
  readonly state: string | null;
  /** The name under which the work continues after a fork. */
  readonly successor: string | null;
  /**
   * For a session that continues the work after a fork: how to continue, as a prompt for a model.
   */
  readonly prompt?: string;
  /** When it was saved, ISO 8601. */
  readonly savedAt: string;
}

/** Stores tokens. Implement this interface for a database or a key-value store. */
export interface TokenStore {
  /** What is saved under this name; null if nothing is. */
  load(name: string): Promise<SavedSession | null>;
  /** Saves it; a store on disk returns only after it is on the disk. */
  save(name: string, saved: SavedSession): Promise<void>;
  /** Removes it. */
  remove(name: string): Promise<void>;
  /** All names. */
  list(): Promise<readonly string[]>;
  /** Runs `work` while no other user of this store does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Runs work sequentially by name, within this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work under the same name. */
  async take<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    let hasStarted = false;
    const turn = before.then(() => {
      signal?.throwIfAborted();
      hasStarted = true;
      return work();
    });
    const settled = turn.catch(() => undefined);
    this.#last.set(name, settled);
    void settled.then(() => {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    });
    if (signal === undefined) return turn;
    // Once started, the work itself reacts to the signal; until then this does.
    return new Promise<T>((resolve, reject) => {
      const stop = (): void => {
        if (!hasStarted) reject(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      void turn.then(resolve, reject).then(() => signal.removeEventListener("abort", stop));
    });
  }
}

/** Keeps sessions in memory until the process ends. */
export class MemoryTokenStore implements TokenStore {
  readonly #turns = new Turns();
  readonly #texts = new Map<string, string>();

  /** What is saved under this name. */
  async load(name: string): Promise<SavedSession | null> {
    const text = this.#texts.get(name);
    return text === undefined ? null : readSaved(text, name);
  }

  /** Saves it. */
  async save(name: string, saved: SavedSession): Promise<void> {
    this.#texts.set(name, JSON.stringify(saved));
  }

  /** Removes it. */
  async remove(name: string): Promise<void> {
    this.#texts.delete(name);
  }

  /** All names. */
  async list(): Promise<readonly string[]> {
    return [...this.#texts.keys()];
  }

  /** Runs `work` while no one else does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#turns.take(name, work, signal);
  }
}

interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface WebLocks {
  request<T>(name: string, options: object, work: () => Promise<T>): Promise<T>;
}

/**
 * For web pages: stored by the browser, shared by the tabs of one origin, used by one tab at a
 * time.
 */
export class LocalStorageTokenStore implements TokenStore {
  readonly #turns = new Turns();
  readonly #storage: WebStorage;
  readonly #prefix: string;

  constructor(options: { readonly storage?: WebStorage; readonly prefix?: string } = {}) {
    const found = options.storage ?? (globalThis as { localStorage?: WebStorage }).localStorage;
    if (found === undefined) throw new StoreError("There is no localStorage here.");
    this.#storage = found;
    this.#prefix = options.prefix ?? "baton:";
  }

  /** What is saved under this name. */
  async load(name: string): Promise<SavedSession | null> {
    const text = this.#storage.getItem(this.#prefix + name);
    return text === null ? null : readSaved(text, name);
  }

  /** Saves it. */
  async save(name: string, saved: SavedSession): Promise<void> {
    this.#storage.setItem(this.#prefix + name, JSON.stringify(saved));
  }

  /** Removes it. */
  async remove(name: string): Promise<void> {
    this.#storage.removeItem(this.#prefix + name);
  }

  /** All names. */
  async list(): Promise<readonly string[]> {
    const keys = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at));
    return keys
      .filter((key) => key?.startsWith(this.#prefix) === true)
      .map((key) => key?.slice(this.#prefix.length) ?? "");
  }

  /** Runs `work` while no other tab does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { navigator } = globalThis as { navigator?: { locks?: WebLocks } };
    const locks = navigator?.locks;
    // Without locks in the browser, tabs do not exclude each other; calls within one tab do.
    if (locks === undefined) return this.#turns.take(name, work, signal);
    return locks.request(this.#prefix + name, { signal }, work);
  }
}

/** Parses what a store has saved as text. */
export function readSaved(text: string, name: string): SavedSession {
  const saved = parse(text);
  if (saved?.format !== 1 || typeof saved.url !== "string") {
    throw new StoreError(`The value saved as "${name}" is not a session of this SDK.`);
  }
  return saved;
}

function parse(text: string): SavedSession | null {
  try {
    return JSON.parse(text) as SavedSession | null;
  } catch {
    return null;
  }
}

/** A saved session before the first request. */
export const emptySavedSession = (url: string): SavedSession => ({
  format: 1,
  url,
  sessionId: null,
  token: null,
  pending: null,
  title: null,
  state: null,
  successor: null,
  savedAt: "",
});
