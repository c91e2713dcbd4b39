/**
 * Where a session's newest token and its unanswered request are kept. The request is written before
 * it is sent, so whoever opens the store after a crash can finish it. A store holds live tokens:
 * keep it as you keep passwords.
 */
import { StoreError } from "./errors";

/** A request that was sent, or was about to be, and whose answer is not known yet. */
export interface PendingRequest {
  /** The operation, such as `setFields`. */
  readonly operation: string;
  /** The method of the request. */
  readonly method: string;
  /** Its path below the session's. */
  readonly path: string;
  /** The body as text: a repeated request is identical to the byte. */
  readonly body: string | null;
  /** Its Idempotency-Key. */
  readonly key: string;
  /** The version it wants to write over; null where none was given. */
  readonly ifMatch: number | null;
  /** The token it is sent with; null for a create. */
  readonly token: string | null;
  /** A fork after which the work goes on in the child. */
  readonly isSuccession: boolean;
}

/** What a store keeps of a session. */
export interface SavedSession {
  /** The version of this format. */
  readonly format: 1;
  /** The address of the server. */
  readonly url: string;
  /** Null until the answer to the create is known. */
  readonly sessionId: string | null;
  /** The newest token; null until the answer to the create is known. */
  readonly token: string | null;
  /** A request whose answer is not known yet. */
  readonly pending: PendingRequest | null;
  /** The title as last seen. */
  readonly title: string | null;
  /** The state as last seen. */
  readonly state: string | null;
  /** The name under which the work goes on after a fork. */
  readonly successor: string | null;
  /** Of a session in which the work goes on after a fork: how, in words for a model. */
  readonly prompt?: string;
  /** When it was saved, ISO 8601. */
  readonly savedAt: string;
}

/** Where tokens are kept. Write one of your own for a database or a key-value store. */
export interface TokenStore {
  /** What is saved under this name; null where nothing is. */
  load(name: string): Promise<SavedSession | null>;
  /** Saves it, on the disk before it returns where there is one. */
  save(name: string, saved: SavedSession): Promise<void>;
  /** Forgets it. */
  remove(name: string): Promise<void>;
  /** All names. */
  list(): Promise<readonly string[]>;
  /** Runs `work` while nobody else who uses this store does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** One after another, by name, within this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once those before it under the same name are done. */
  async take<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    let hasBegun = false;
    const turn = before.then(() => {
      signal?.throwIfAborted();
      hasBegun = true;
      return work();
    });
    const settled = turn.catch(() => undefined);
    this.#last.set(name, settled);
    void settled.then(() => {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    });
    if (signal === undefined) return turn;
    // Once begun, the work itself heeds the signal; until then nobody else would.
    return new Promise<T>((settle, fail) => {
      const stop = (): void => {
        if (!hasBegun) fail(signal.reason as Error);
      };
      signal.addEventListener("abort", stop, { once: true });
      void turn.then(settle, fail).then(() => signal.removeEventListener("abort", stop));
    });
  }
}

/** Forgets everything with the process. */
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

  /** Forgets it. */
  async remove(name: string): Promise<void> {
    this.#texts.delete(name);
  }

  /** All names. */
  async list(): Promise<readonly string[]> {
    return [...this.#texts.keys()];
  }

  /** Runs `work` while nobody else does so under the same name. */
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

/** In a page: kept by the browser, shared by the tabs of one origin, one tab at a time. */
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

  /** Forgets it. */
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
    // Where a browser has no locks, tabs are not held apart; within the tab they are.
    if (locks === undefined) return this.#turns.take(name, work, signal);
    return locks.request(this.#prefix + name, { signal }, work);
  }
}

/** Reads what a store has saved as text. */
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

/** What is known of a session before anything was asked. */
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
