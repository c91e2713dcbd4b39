/**
 * The fold of one session's log: its main transcript and those of its subagents. An entry with a
 * known `uuid` is the same entry, so retries and imports append nothing twice.
 */
import type { EventInput, JsonObject } from "../../client";
import type { JournalEntry } from "../journal";
import type { FoldSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./protocol";

const ENTRIES = "claude.entries";
const DELETED = "claude.deleted";
/** The number of entries per event. Large content is stored separately by the Baton SDK. */
const ENTRIES_PER_EVENT = 100;

interface Part {
  readonly entries: SessionStoreEntry[];
  readonly uuids: Set<string>;
}

export class Transcript {
  readonly #key: SessionKey;
  readonly #foldSummary: FoldSummary | null;
  /** By subpath; the main transcript has the empty subpath. */
  #parts = new Map<string, Part>();
  #summary: SessionSummaryEntry | undefined;
  #mtime = 0;
  #seq = 0;

  constructor(key: SessionKey, foldSummary: FoldSummary | null) {
    const { projectKey, sessionId } = key;
    this.#key = { projectKey, sessionId };
    this.#foldSummary = foldSummary;
  }

  reset(): void {
    this.#parts = new Map();
    this.#summary = undefined;
    this.#mtime = 0;
    this.#seq = 0;
  }

  fold({ seq, type, at, payload }: JournalEntry): void {
    const subpath = String(payload["subpath"] ?? "");
    if (type === DELETED) this.#parts.delete(subpath);
    if (type !== ENTRIES) return;
    const fresh = this.#addEntries(subpath, payload["entries"] as unknown as SessionStoreEntry[]);
    if (subpath !== "") return;
    this.#seq = seq;
    this.#mtime = at;
    if (this.#foldSummary === null || fresh.length === 0) return;
    this.#summary = this.#foldSummary(this.#summary, this.#key, fresh, { mtime: at });
  }

  #addEntries(subpath: string, entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
    const part = this.#parts.get(subpath) ?? { entries: [], uuids: new Set() };
    this.#parts.set(subpath, part);
    const fresh = entries.filter(({ uuid }) => {
      const isKnown = uuid !== undefined && part.uuids.has(uuid);
      if (uuid !== undefined) part.uuids.add(uuid);
      return !isKnown;
    });
    for (const entry of fresh) part.entries.push(entry);
    return fresh;
  }

  /** Returns copies, so that callers cannot change the state. */
  entries(subpath = ""): SessionStoreEntry[] | null {
    const part = this.#parts.get(subpath);
    return part === undefined ? null : structuredClone(part.entries);
  }

  subpaths(): string[] {
    return [...this.#parts.keys()].filter((subpath) => subpath !== "");
  }

  has(subpath = ""): boolean {
    return this.#parts.has(subpath);
  }

  /** The summary for the project's index. */
  outline(): JsonObject {
    return {
      sessionId: this.#key.sessionId,
      mtime: this.#mtime,
      seq: this.#seq,
      ...(this.#summary === undefined ? {} : { data: this.#summary.data as JsonObject }),
    };
  }

  /** Events for entries that are not known yet; none if all are. */
  eventsFor(subpath: string | undefined, entries: readonly SessionStoreEntry[]): EventInput[] {
    const known = this.#parts.get(subpath ?? "")?.uuids ?? new Set();
    const fresh = entries.filter(({ uuid }) => uuid === undefined || !known.has(uuid));
    const events: EventInput[] = [];
    for (let at = 0; at < fresh.length; at += ENTRIES_PER_EVENT) {
      const batch = fresh.slice(at, at + ENTRIES_PER_EVENT);
      events.push({ type: ENTRIES, payload: payloadOf(subpath, batch) });
    }
    return events;
  }

  static deletedEvent(subpath: string): EventInput {
    return { type: DELETED, payload: { subpath } };
  }
}

/**
 * Without members that JSON cannot represent, so that the stored entries equal those that are read.
 */
const payloadOf = (
  subpath: string | undefined,
  entries: readonly SessionStoreEntry[],
): JsonObject => {
  const plain = JSON.parse(JSON.stringify(entries)) as JsonObject[];
  return subpath === undefined ? { entries: plain } : { subpath, entries: plain };
};
