/**
 * Stores the draft in this browser: in localStorage, which all tabs read synchronously, and in IndexedDB,
 * because a killed browser loses the last seconds of localStorage. The newer of the two is used.
 */
import { code, main } from "./dom";

export interface Draft {
  /** When it was written. An empty draft is stored too, so that an older one does not return. */
  readonly at: number;
  /** By input name. */
  readonly texts: Record<string, string>;
  /** The label and the answer as text, by input name. */
  readonly said: Record<string, string>;
  /** The value that the server showed when the person started to type in a field. */
  readonly base: Record<string, { readonly value?: unknown }>;
  /** Texts that were sent without a response. The server may have them. */
  readonly sent?: Record<string, string>;
  /** The language in which numbers were typed. */
  readonly language?: string;
  /** An action that waits for the network. */
  readonly waiting?: string;
  /** A password or a private field was typed, which is not stored. */
  readonly hadSecret?: true;
}

const EMPTY: Draft = { at: 0, texts: {}, said: {}, base: {} };
const NAME = "baton";
const STORE = "drafts";
const FILES = "files";

/** A chosen file that could not be sent yet. */
export interface WaitingFile {
  readonly id: string;
  readonly field: string;
  readonly file: File;
}

/**
 * Each participant has one draft, so that a reissued link finds it. A page that only says that the link has
 * ended does not name the participant, so this browser remembers it.
 */
function draftKey(): string {
  const known = `baton-link:${code()}`;
  const owner = main().dataset["draft"];
  try {
    if (owner !== undefined) localStorage.setItem(known, owner);
    return `baton-draft:${owner ?? localStorage.getItem(known) ?? code()}`;
  } catch {
    return `baton-draft:${owner ?? code()}`;
  }
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" && value !== null && "at" in value && "texts" in value;

export function readDraft(): Draft {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(draftKey()) ?? "null");
    return isDraft(value) ? value : EMPTY;
  } catch {
    return EMPTY;
  }
}

let databasePromise: Promise<IDBDatabase | null> | null = null;

function database(): Promise<IDBDatabase | null> {
  databasePromise ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 2);
      request.addEventListener("upgradeneeded", () => {
        const { result } = request;
        for (const name of [STORE, FILES]) {
          if (!result.objectStoreNames.contains(name)) result.createObjectStore(name);
        }
      });
      request.addEventListener("success", () => {
        // A page of a later release may upgrade the database.
        request.result.addEventListener("versionchange", () => request.result.close());
        resolve(request.result);
      });
      for (const end of ["error", "blocked"]) request.addEventListener(end, () => resolve(null));
    } catch {
      resolve(null);
    }
  });
  return databasePromise;
}

/** Resolves when the draft survives a killed browser, or when it cannot be stored. */
export async function writeDraft(draft: Omit<Draft, "at">): Promise<void> {
  const stamped: Draft = { ...draft, at: Date.now() };
  const key = draftKey();
  try {
    localStorage.setItem(key, JSON.stringify(stamped));
  } catch {
    // No storage: the page still has it.
  }
  await changeStore(STORE, (stored) => stored.put(stamped, key));
}

/** Never throws: if the draft cannot be stored, the page still has it. */
async function changeStore(
  name: string,
  act: (stored: IDBObjectStore) => IDBRequest,
): Promise<void> {
  const opened = await database();
  if (opened === null) return;
  try {
    const writing = opened.transaction(name, "readwrite");
    act(writing.objectStore(name));
    await new Promise<void>((resolve) => {
      for (const end of ["complete", "error", "abort"]) {
        writing.addEventListener(end, () => resolve());
      }
    });
  } catch {
    // Closed for a later release, or no space.
  }
}

async function queryStore<T>(
  name: string,
  act: (stored: IDBObjectStore) => IDBRequest<T>,
): Promise<T | null> {
  const opened = await database();
  if (opened === null) return null;
  try {
    const request = act(opened.transaction(name).objectStore(name));
    return await new Promise((resolve) => {
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => resolve(null));
    });
  } catch {
    return null;
  }
}

const fileKey = (id: string): string => `${draftKey()}#${id}`;

export const storeFile = (one: WaitingFile): Promise<void> =>
  changeStore(FILES, (stored) => stored.put(one, fileKey(one.id)));

export const dropFile = (id: string): Promise<void> =>
  changeStore(FILES, (stored) => stored.delete(fileKey(id)));

export const loadFiles = async (): Promise<readonly WaitingFile[]> =>
  (await queryStore<WaitingFile[]>(FILES, (stored) =>
    stored.getAll(IDBKeyRange.bound(fileKey(""), fileKey("\uffff"))),
  )) ?? [];

/** Copies a newer draft from IndexedDB to localStorage. */
export async function restoreFromDatabase(): Promise<void> {
  const key = draftKey();
  const found = await queryStore<unknown>(STORE, (stored) => stored.get(key));
  if (!isDraft(found) || found.at <= readDraft().at) return;
  try {
    localStorage.setItem(key, JSON.stringify(found));
  } catch {
    // As above.
  }
}
