/**
 * The fold of one thread's log: its checkpoints by namespace and id, their values by channel, and
 * the pending writes of each. It does not depend on the framework: values are JSON texts here.
 */
import type { EventInput, JsonObject, LargeContent, Session } from "../../client";
import type { JournalEntry } from "../journal";
import { storeList, storeText, toText, fromStored } from "./stored-value";
import type { PreviousList, StoredValue, Texts, ChannelValue } from "./stored-value";

const TEXTS = "langgraph.texts";
const CHECKPOINT = "langgraph.checkpoint";
const WRITES = "langgraph.writes";
/** A longer text is stored separately, so that the log of a long thread stays fast to read. */
const MAX_INLINE_TEXT = 16 * 1024;
/** The size of the texts per event; an event can have 256 KiB. */
const TEXTS_PER_EVENT = 128 * 1024;

interface StoredWrite {
  readonly task: string;
  readonly channel: string;
  readonly value: ChannelValue;
}

export interface StoredCheckpoint {
  readonly id: string;
  readonly parent: string | undefined;
  /** The checkpoint, serialized without its channel values. */
  readonly checkpoint: ChannelValue;
  readonly metadata: ChannelValue;
  /** The values that this checkpoint changed, and those that it inherits from its parent. */
  readonly values: ReadonlyMap<string, { readonly version: string; readonly value: ChannelValue }>;
  readonly writes: Map<string, StoredWrite>;
}

interface NewCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly checkpoint: string;
  readonly metadata: string;
  /** Changed channels only: the version, and the value as JSON text or as bytes. */
  readonly values: readonly (readonly [channel: string, version: string, Serialized])[];
}

interface NewWrites {
  readonly ns: string;
  readonly id: string;
  readonly task: string;
  readonly writes: readonly (readonly [channel: string, index: number, Serialized])[];
}

export type Serialized = { readonly json: string } | { readonly base64: string };

export class Thread {
  #namespaces = new Map<string, Map<string, StoredCheckpoint>>();
  #earlyWrites = new Map<string, Map<string, StoredWrite>>();
  #texts = new Map<string, string | LargeContent>();
  /** The newest list of each channel as JSON text, to compare the next one with. */
  #lists = new Map<string, { readonly value: ChannelValue; readonly json: string }>();
  /** Lists that are being appended to the log. */
  #pendingLists = new Map<string, string>();

  reset(): void {
    this.#namespaces = new Map();
    this.#earlyWrites = new Map();
    this.#texts = new Map();
    this.#lists = new Map();
    this.#pendingLists = new Map();
  }

  fold({ type, payload }: JournalEntry): void {
    const texts = (payload["texts"] ?? []) as unknown as [string, string | LargeContent][];
    for (const [hash, text] of texts) this.#texts.set(hash, text);
    if (type === CHECKPOINT) this.#foldCheckpoint(payload);
    if (type === WRITES) this.#foldWrites(payload);
  }

  #foldCheckpoint(payload: JsonObject): void {
    const { ns, id, parent, checkpoint, metadata, values } = payload as unknown as {
      ns: string;
      id: string;
      parent?: string;
      checkpoint: StoredValue;
      metadata: StoredValue;
      values: [string, string, StoredValue][];
    };
    const all = this.#namespaces.get(ns) ?? new Map<string, StoredCheckpoint>();
    this.#namespaces.set(ns, all);
    const previous = parent === undefined ? undefined : all.get(parent);
    const merged = new Map(previous?.values ?? this.#newest(all));
    for (const [channel, version, stored] of values) {
      const value = fromStored(stored, (from) => all.get(from)?.values.get(channel)?.value ?? null);
      merged.set(channel, { version, value });
      const key = JSON.stringify([ns, id, channel]);
      const json = this.#pendingLists.get(key);
      this.#pendingLists.delete(key);
      if (json !== undefined) this.#lists.set(JSON.stringify([ns, channel]), { value, json });
    }
    all.set(id, {
      id,
      parent,
      checkpoint: fromStored(checkpoint, noList),
      metadata: fromStored(metadata, noList),
      values: merged,
      writes: this.#writesOf(ns, id),
    });
  }

  /**
   * A checkpoint without a parent can still show values that were stored before at the same
   * versions.
   */
  #newest(all: ReadonlyMap<string, StoredCheckpoint>): StoredCheckpoint["values"] {
    return [...all.values()].at(-1)?.values ?? new Map();
  }

  #foldWrites(payload: JsonObject): void {
    const { ns, id, task, writes } = payload as unknown as {
      ns: string;
      id: string;
      task: string;
      writes: [string, number, StoredValue][];
    };
    const writesByKey = this.#writesOf(ns, id);
    for (const [channel, index, stored] of writes) {
      const key = JSON.stringify([task, index]);
      // A repeated write is the same write; writes with a negative index, such as errors and
      // interrupts, replace each other.
      if (index >= 0 && writesByKey.has(key)) continue;
      writesByKey.set(key, { task, channel, value: fromStored(stored, noList) });
    }
  }

  /** Writes may arrive before their checkpoint. */
  #writesOf(ns: string, id: string): Map<string, StoredWrite> {
    const existing = this.#namespaces.get(ns)?.get(id)?.writes;
    if (existing !== undefined) return existing;
    const key = JSON.stringify([ns, id]);
    const early = this.#earlyWrites.get(key) ?? new Map<string, StoredWrite>();
    this.#earlyWrites.set(key, early);
    return early;
  }

  namespaces(): readonly string[] {
    return [...this.#namespaces.keys()];
  }

  get(ns: string, id: string): StoredCheckpoint | undefined {
    return this.#namespaces.get(ns)?.get(id);
  }

  /** Newest first: ids sort by creation time. */
  checkpoints(ns: string): readonly StoredCheckpoint[] {
    const all = [...(this.#namespaces.get(ns)?.values() ?? [])];
    return all.sort((one, other) => (one.id < other.id ? 1 : -1));
  }

  /** A value as JSON text, or as base64 if it was bytes. */
  read(value: ChannelValue, session: Session): Promise<string> {
    return toText(value, async (hash) => {
      const text = this.#texts.get(hash);
      if (text === undefined) throw new Error(`The thread's log names a text ${hash} it lacks.`);
      return typeof text === "string"
        ? text
        : new TextDecoder().decode(await session.getBlob(text));
    });
  }

  async checkpointEvents(input: NewCheckpoint, session: Session): Promise<readonly EventInput[]> {
    const { ns, id, parent } = input;
    const texts: Texts = new Map();
    const previous = parent === undefined ? undefined : this.get(ns, parent);
    const values: [string, string, StoredValue][] = [];
    for (const [channel, version, value] of input.values) {
      const earlier = previous?.values.get(channel)?.value;
      const previousList =
        earlier?.kind === "list" && parent !== undefined && "json" in value
          ? { checkpoint: parent, json: await this.#list(ns, channel, earlier, session) }
          : null;
      const stored = await toStored(value, previousList, texts);
      if ("items" in stored && "json" in value) {
        this.#pendingLists.set(JSON.stringify([ns, id, channel]), value.json);
      }
      values.push([channel, version, stored]);
    }
    const checkpoint = await storeText(input.checkpoint, texts);
    const metadata = await storeText(input.metadata, texts);
    const payload = { ns, id, ...(parent === undefined ? {} : { parent }) };
    const fullPayload = { ...payload, checkpoint, metadata, values } as unknown as JsonObject;
    return this.#withTexts(CHECKPOINT, fullPayload, texts, session);
  }

  async writesEvents(input: NewWrites, session: Session): Promise<readonly EventInput[]> {
    const { ns, id, task } = input;
    const texts: Texts = new Map();
    const writes: [string, number, StoredValue][] = [];
    for (const [channel, index, value] of input.writes) {
      writes.push([channel, index, await toStored(value, null, texts)]);
    }
    const payload = { ns, id, task, writes } as unknown as JsonObject;
    return this.#withTexts(WRITES, payload, texts, session);
  }

  async #list(ns: string, channel: string, value: ChannelValue, session: Session): Promise<string> {
    const known = this.#lists.get(JSON.stringify([ns, channel]));
    return known?.value === value ? known.json : this.read(value, session);
  }

  /** New texts go before the event that refers to them, in events of an accepted size. */
  async #withTexts(
    type: string,
    payload: JsonObject,
    texts: Texts,
    session: Session,
  ): Promise<readonly EventInput[]> {
    const newTexts: [string, string | LargeContent][] = [];
    for (const [hash, text] of texts) {
      if (this.#texts.has(hash)) continue;
      newTexts.push([hash, text.length > MAX_INLINE_TEXT ? await session.putBlob(text) : text]);
    }
    const events: EventInput[] = [];
    let batch: [string, string | LargeContent][] = [];
    let length = 0;
    for (const entry of newTexts) {
      batch.push(entry);
      length += JSON.stringify(entry).length;
      if (length < TEXTS_PER_EVENT) continue;
      events.push({ type: TEXTS, payload: { texts: batch as never } });
      batch = [];
      length = 0;
    }
    const last = batch.length === 0 ? payload : { ...payload, texts: batch as never };
    return [...events, { type, payload: last }];
  }
}

async function toStored(
  value: Serialized,
  previous: PreviousList | null,
  texts: Texts,
): Promise<StoredValue> {
  if ("base64" in value) return { bytes: await storeText(value.base64, texts) };
  return (await storeList(value.json, previous, texts)) ?? storeText(value.json, texts);
}

const noList = (): null => null;
