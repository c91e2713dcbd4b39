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
  /** A press that waits for the network. */
  readonly waiting?: string;
  /** Something was typed that is not kept: passwords and private fields. */
  readonly hadSecret?: true;
}

const EMPTY: Draft = { at: 0, texts: {}, said: {}, base: {} };
const NAME = "baton";
const STORE = "drafts";

/**
 * Each participant has one draft, so that a link that was issued anew finds it. Where the page only
 * says that the link is over, this browser remembers whose it was.
 */
function key(): string {
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

export function kept(): Draft {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key()) ?? "null");
    return isDraft(value) ? value : EMPTY;
  } catch {
    return EMPTY;
  }
}

let opening: Promise<IDBDatabase | null> | null = null;

function database(): Promise<IDBDatabase | null> {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(NAME, 1);
      request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE));
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => resolve(null));
    } catch {
      resolve(null);
    }
  });
  return opening;
}

/** Settled once a killed browser would find it again, or once it is sure that it cannot be kept. */
export async function store(draft: Omit<Draft, "at">): Promise<void> {
  const stamped: Draft = { ...draft, at: Date.now() };
  const place = key();
  try {
    localStorage.setItem(place, JSON.stringify(stamped));
  } catch {
    // No storage: the page still holds it.
  }
  const opened = await database();
  if (opened === null) return;
  const writing = opened.transaction(STORE, "readwrite");
  writing.objectStore(STORE).put(stamped, place);
  await new Promise<void>((settle) => {
    for (const end of ["complete", "error", "abort"]) {
      writing.addEventListener(end, () => settle());
    }
  });
}

/** Takes over what only IndexedDB has kept. */
export async function load(): Promise<void> {
  const place = key();
  const opened = await database();
  if (opened === null) return;
  const found = await new Promise<unknown>((resolve) => {
    const request = opened.transaction(STORE).objectStore(STORE).get(place);
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => resolve(null));
  });
  if (!isDraft(found) || found.at <= kept().at) return;
  try {
    localStorage.setItem(place, JSON.stringify(found));
  } catch {
    // As above.
  }
}
