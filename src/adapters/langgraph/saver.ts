/**
 * A checkpointer for LangGraph.js: each thread is a Baton session, and a checkpoint stores the
 * channels that changed with it.
 */
import {
  BaseCheckpointSaver,
  getCheckpointId,
  maxChannelVersion,
  TASKS,
  WRITES_IDX_MAP,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { Journal, type AdapterOptions } from "../journal";
import { nameOf } from "../names";
import type { Value } from "./stored-value";
import { Thread, type Serialized, type StoredCheckpoint } from "./thread";
import { ThreadIndex } from "./thread-index";

/** By the name of a member, because not every release of the peer exports the type itself. */
type RunnableConfig = CheckpointTuple["config"];

/** Where the threads are kept. */
export interface BatonSaverOptions extends AdapterOptions {
  /** How values are serialized; LangGraph's own serializer unless given. */
  readonly serde?: SerializerProtocol;
}

interface Kept<F> {
  readonly journal: Journal;
  readonly state: F;
}

const PENDING_SENDS_IN_CHANNELS = 4;

/**
 * Keeps the threads of a LangGraph graph in Baton.
 *
 * @example
 * ```ts
 * import { Baton } from "@baton-sessions/baton/client";
 * import { BatonSaver } from "@baton-sessions/baton/langgraph";
 *
 * const checkpointer = new BatonSaver({ baton: Baton.connect("http://localhost:8787") });
 * const graph = builder.compile({ checkpointer });
 * await graph.invoke({ messages: [] }, { configurable: { thread_id: "claim-4711" } });
 * ```
 */
export class BatonSaver extends BaseCheckpointSaver {
  readonly #options: BatonSaverOptions;
  readonly #threads = new Map<string, Promise<Kept<Thread>>>();
  #index: Promise<Kept<ThreadIndex>> | null = null;

  constructor(options: BatonSaverOptions) {
    super(options.serde);
    this.#options = options;
  }

  /** The checkpoint that is asked for, or the newest of its thread. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, ns } = placeOf(config);
    if (threadId === undefined) return undefined;
    const kept = await this.#thread(threadId);
    if (!(await kept.journal.catchUp())) return undefined;
    const id = getCheckpointId(config);
    const found = id ? kept.state.get(ns, id) : kept.state.checkpoints(ns)[0];
    return found === undefined ? undefined : this.#tuple(kept, threadId, ns, found);
  }

  /** Newest first within a thread; without a `thread_id` over all threads. */
  async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { threadId } = placeOf(config);
    const ns = config.configurable?.["checkpoint_ns"] as string | undefined;
    const id = config.configurable?.["checkpoint_id"] as string | undefined;
    const before = options.before?.configurable?.["checkpoint_id"] as string | undefined;
    let left = options.limit ?? Infinity;
    for (const thread of threadId === undefined ? await this.#threadIds() : [threadId]) {
      const kept = await this.#thread(thread);
      if (!(await kept.journal.catchUp())) continue;
      for (const namespace of ns === undefined ? kept.state.namespaces() : [ns]) {
        for (const found of kept.state.checkpoints(namespace)) {
          if (left <= 0) return;
          if ((id && found.id !== id) || (before !== undefined && found.id >= before)) continue;
          const tuple = await this.#tuple(kept, thread, namespace, found);
          const { metadata } = tuple;
          const isWanted = Object.entries(options.filter ?? {}).every(
            ([key, value]) => (metadata as Record<string, unknown>)[key] === value,
          );
          if (!isWanted) continue;
          left -= 1;
          yield tuple;
        }
      }
    }
  }

  /** Stores a checkpoint, and of its values those whose version is new. */
  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns } = placeOf(config);
    if (threadId === undefined) throw missing("thread_id");
    const kept = await this.#begun(threadId);
    const { channel_values: values, ...rest } = checkpoint;
    const changed: [string, string, Serialized][] = [];
    for (const [channel, version] of Object.entries(newVersions)) {
      if (!Object.hasOwn(values, channel)) continue;
      changed.push([channel, JSON.stringify(version), await this.#serialize(values[channel])]);
    }
    const made = {
      ns,
      id: checkpoint.id,
      parent: config.configurable?.["checkpoint_id"] as string | undefined,
      checkpoint: await this.#json(rest),
      metadata: await this.#json(metadata),
      values: changed,
    };
    const session = await kept.journal.session();
    await kept.journal.append(await kept.state.checkpointEvents(made, session));
    return configOf(threadId, ns, checkpoint.id);
  }

  /** Stores what tasks have written and no checkpoint holds yet. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { threadId, ns } = placeOf(config);
    const id = config.configurable?.["checkpoint_id"] as string | undefined;
    if (threadId === undefined) throw missing("thread_id");
    if (id === undefined) throw missing("checkpoint_id");
    const kept = await this.#begun(threadId);
    const made: [string, number, Serialized][] = [];
    for (const [index, [channel, value]] of writes.entries()) {
      made.push([channel, WRITES_IDX_MAP[channel] ?? index, await this.#serialize(value)]);
    }
    const session = await kept.journal.session();
    const events = await kept.state.writesEvents({ ns, id, task: taskId, writes: made }, session);
    await kept.journal.append(events);
  }

  /** Removes a thread with all its checkpoints, writes and large values. */
  async deleteThread(threadId: string): Promise<void> {
    const { journal } = await this.#thread(threadId);
    await journal.purge();
    const index = await this.#threadIndex();
    if (!(await index.journal.catchUp()) || !index.state.has(threadId)) return;
    await index.journal.append([ThreadIndex.removed(threadId)]);
  }

  async #tuple(
    { journal, state }: Kept<Thread>,
    threadId: string,
    ns: string,
    found: StoredCheckpoint,
  ): Promise<CheckpointTuple> {
    const session = await journal.session();
    const load = async (value: Value): Promise<unknown> => {
      const text = await state.read(value, session);
      const isBytes = value.kind === "bytes";
      return this.serde.loadsTyped(isBytes ? "bytes" : "json", isBytes ? bytesOf(text) : text);
    };
    const checkpoint = (await load(found.checkpoint)) as Checkpoint;
    checkpoint.channel_values = {};
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      const stored = found.values.get(channel);
      if (stored === undefined || stored.version !== JSON.stringify(version)) continue;
      checkpoint.channel_values[channel] = await load(stored.value);
    }
    const { parent } = found;
    if (checkpoint.v < PENDING_SENDS_IN_CHANNELS && parent !== undefined) {
      await this.#movePendingSends(checkpoint, state.get(ns, parent), load);
    }
    const pendingWrites: CheckpointPendingWrite[] = [];
    for (const { task, channel, value } of found.writes.values()) {
      pendingWrites.push([task, channel, await load(value)]);
    }
    return {
      config: configOf(threadId, ns, found.id),
      checkpoint,
      metadata: (await load(found.metadata)) as CheckpointMetadata,
      pendingWrites,
      ...(parent === undefined ? {} : { parentConfig: configOf(threadId, ns, parent) }),
    };
  }

  /** Checkpoints of older releases of LangGraph kept these as writes of the parent. */
  async #movePendingSends(
    checkpoint: Checkpoint,
    parent: StoredCheckpoint | undefined,
    load: (value: Value) => Promise<unknown>,
  ): Promise<void> {
    const sends = [...(parent?.writes.values() ?? [])].filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => load(value)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async #serialize(value: unknown): Promise<Serialized> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    return type === "json"
      ? { json: new TextDecoder().decode(bytes) }
      : { base64: base64Of(bytes) };
  }

  async #json(value: unknown): Promise<string> {
    const [, bytes] = await this.serde.dumpsTyped(value);
    return new TextDecoder().decode(bytes);
  }

  /** With what others have stored since, and listed, before the first checkpoint is stored. */
  async #begun(threadId: string): Promise<Kept<Thread>> {
    const kept = await this.#thread(threadId);
    if (await kept.journal.catchUp()) return kept;
    const index = await this.#threadIndex();
    await index.journal.catchUp();
    if (!index.state.has(threadId)) await index.journal.append([ThreadIndex.added(threadId)]);
    return kept;
  }

  async #threadIds(): Promise<readonly string[]> {
    const { journal, state } = await this.#threadIndex();
    return (await journal.catchUp()) ? state.ids() : [];
  }

  #thread(threadId: string): Promise<Kept<Thread>> {
    const earlier = this.#threads.get(threadId);
    if (earlier !== undefined) return earlier;
    const title = `LangGraph thread ${threadId}`;
    const made = this.#keep(new Thread(), title, "langgraph", threadId);
    this.#threads.set(threadId, made);
    return made;
  }

  #threadIndex(): Promise<Kept<ThreadIndex>> {
    this.#index ??= this.#keep(new ThreadIndex(), "LangGraph threads", "langgraph-threads");
    return this.#index;
  }

  async #keep<F extends Pick<Thread, "fold" | "reset">>(
    state: F,
    title: string,
    kind: string,
    ...ids: readonly string[]
  ): Promise<Kept<F>> {
    const { namespace = "default" } = this.#options;
    const name = await nameOf(kind, namespace, ...ids);
    const journal = new Journal({
      ...this.#options,
      name,
      title: title.slice(0, 200),
      fold: (entry) => state.fold(entry),
      reset: () => state.reset(),
    });
    return { journal, state };
  }
}

function placeOf({ configurable }: RunnableConfig): { threadId: string | undefined; ns: string } {
  const threadId: unknown = configurable?.["thread_id"];
  const ns: unknown = configurable?.["checkpoint_ns"];
  return {
    threadId: threadId === undefined ? undefined : String(threadId),
    ns: typeof ns === "string" ? ns : "",
  };
}

const configOf = (threadId: string, ns: string, id: string): RunnableConfig => ({
  configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id },
});

const missing = (name: string): Error =>
  new Error(
    `The config lacks "${name}" in its "configurable": { configurable: { ${name}: "…" } }.`,
  );

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return btoa(text);
}
