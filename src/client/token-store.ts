/**
 * Where a session's newest token and its unanswered request are kept. The request is written before
 * it is sent, so whoever opens the store after a crash can finish it. A store holds live tokens:
 * keep it as you keep passwords.
 */
import { StoreError } from "./errors";

/** A request that was sent, or was about to be, and whose answer is not known yet. */
export interface PendingRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The body as text: a repeated request is identical to the byte. */
  readonly body: string | null;
  readonly key: string;
  readonly ifMatch: number | null;
  readonly token: string | null;
  /** A fork after which the work goes on in the child. */
  readonly isSuccession: boolean;
}

export interface SavedSession {
  readonly format: 1;
  readonly url: string;
  /** Null until the answer to the create is known. */
  readonly sessionId: string | null;
  readonly token: string | null;
  readonly pending: PendingRequest | null;
  readonly title: string | null;
  readonly state: string | null;
  /** The name under which the work goes on after a fork. */
  readonly successor: string | null;
  readonly savedAt: string;
}

export interface TokenStore {
  load(name: string): Promise<SavedSession | null>;
  save(name: string, saved: SavedSession): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<readonly string[]>;
  /** Runs `work` while nobody else who uses this store does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** One after another, by name, within this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

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

  async load(name: string): Promise<SavedSession | null> {
    const text = this.#texts.get(name);
    return text === undefined ? null : readSaved(text, name);
  }

  async save(name: string, saved: SavedSession): Promise<void> {
    this.#texts.set(name, JSON.stringify(saved));
  }

  async remove(name: string): Promise<void> {
    this.#texts.delete(name);
  }

  async list(): Promise<readonly string[]> {
    return [...this.#texts.keys()];
  }

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

  async load(name: string): Promise<SavedSession | null> {
    const text = this.#storage.getItem(this.#prefix + name);
    return text === null ? null : readSaved(text, name);
  }

  async save(name: string, saved: SavedSession): Promise<void> {
    this.#storage.setItem(this.#prefix + name, JSON.stringify(saved));
  }

  async remove(name: string): Promise<void> {
    this.#storage.removeItem(this.#prefix + name);
  }

  async list(): Promise<readonly string[]> {
    const keys = Array.from({ length: this.#storage.length }, (_, at) => this.#storage.key(at));
    return keys
      .filter((key) => key?.startsWith(this.#prefix) === true)
      .map((key) => key?.slice(this.#prefix.length) ?? "");
  }

  exclusively<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { navigator } = globalThis as { navigator?: { locks?: WebLocks } };
    const locks = navigator?.locks;
    // Where a browser has no locks, tabs are not held apart; within the tab they are.
    if (locks === undefined) return this.#turns.take(name, work, signal);
    const options = { signal };
    return locks.request(this.#prefix + name, options, work);
  }
}

export function readSaved(text: string, name: string): SavedSession {
  const saved = parse(text);
  if (saved?.format !== 1 || typeof saved.url !== "string") {
    throw new StoreError(`What is saved as "${name}" is not a session of this SDK.`);
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
export const unsaved = (url: string): SavedSession => ({
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
