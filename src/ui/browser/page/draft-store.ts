/**
 * Where a draft lies in this browser: in localStorage, which every tab reads at once, and in IndexedDB,
 * because a browser that is killed loses the last seconds of localStorage. The newer of the two counts.
 */
import { code, main } from "./dom";

export interface Draft {
  /** When it was written; an empty one is kept too, so that an older one does not come back. */
  readonly at: number;
  /** By the name of the input. */
  readonly texts: Record<string, string>;
  /** The same in words: the label and what was answered. */
  readonly said: Record<string, string>;
  /** What the server showed of a field when typing in it began. */
  readonly base: Record<string, { readonly value?: unknown }>;
  /** What was on its way when nothing more was heard: the server may have it. */
  readonly sent?: Record<string, string>;
  /** In which its numbers were typed. */
  readonly language?: string;
  /** A press that waits for the network. */
  readonly waiting?: string;
  /** Something was typed that is not kept: passwords and private fields. */
  readonly hadSecret?: true;
}

const EMPTY: Draft = { at: 0, texts: {}, said: {}, base: {} };
const NAME = "baton";
const STORE = "drafts";
const FILES = "files";

/** A file that was chosen and could not be sent yet. */
export interface WaitingFile {
  readonly id: string;
  readonly field: string;
  readonly file: File;
}

/**
 * Each participant has one draft, so that a link that was issued anew finds it. Where the page only
 * says that the link is over, this browser remembers whose it was.
 */
function draftKey(): string {
  const known = `baton-link:${code()}`;
  const whose = main().dataset["draft"];
  try {
    if (whose !== undefined) localStorage.setItem(known, whose);
    return `baton-draft:${whose ?? localStorage.getItem(known) ?? code()}`;
  } catch {
    return `baton-draft:${whose ?? code()}`;
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
        // A page of a later release may change what is stored.
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

/** Settled once a killed browser would find it again, or once it is sure that it cannot be kept. */
export async function writeDraft(draft: Omit<Draft, "at">): Promise<void> {
  const stamped: Draft = { ...draft, at: Date.now() };
  const place = draftKey();
  try {
    localStorage.setItem(place, JSON.stringify(stamped));
  } catch {
    // No storage: the page still holds it.
  }
  await changeStore(STORE, (stored) => stored.put(stamped, place));
}

/** Nothing is thrown where it cannot be kept: the page still has it. */
async function changeStore(
  name: string,
  act: (stored: IDBObjectStore) => IDBRequest,
): Promise<void> {
  const opened = await database();
  if (opened === null) return;
  try {
    const writing = opened.transaction(name, "readwrite");
    act(writing.objectStore(name));
    await new Promise<void>((settle) => {
      for (const end of ["complete", "error", "abort"]) {
        writing.addEventListener(end, () => settle());
      }
    });
  } catch {
    // Closed for a later release, or no room.
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

/** Takes over what only IndexedDB has kept. */
export async function restoreFromDatabase(): Promise<void> {
  const place = draftKey();
  const found = await queryStore<unknown>(STORE, (stored) => stored.get(place));
  if (!isDraft(found) || found.at <= readDraft().at) return;
  try {
    localStorage.setItem(place, JSON.stringify(found));
  } catch {
    // As above.
  }
}
