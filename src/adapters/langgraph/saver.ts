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
import { Journal, getOrCreate, type AdapterOptions } from "../journal";
import type { ChannelValue } from "./stored-value";
import { Thread, type Serialized, type StoredCheckpoint } from "./thread";
import { ThreadIndex } from "./thread-index";

/** Through a member's type, because not every release of the peer exports the type itself. */
type RunnableConfig = CheckpointTuple["config"];

/** Where the threads are stored. */
export interface BatonSaverOptions extends AdapterOptions {
  /** How values are serialized. Default: LangGraph's own serializer. */
  readonly serde?: SerializerProtocol;
}

const PENDING_SENDS_IN_CHANNELS = 4;

/**
 * Stores the threads of a LangGraph graph in Baton.
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
  readonly #threads = new Map<string, Journal<Thread>>();
  readonly #index: Journal<ThreadIndex>;

  constructor(options: BatonSaverOptions) {
    super(options.serde);
    this.#options = options;
    const index = new ThreadIndex();
    this.#index = new Journal(options, index, "LangGraph threads", "langgraph-threads");
  }

  /** The requested checkpoint, or the newest of its thread. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, ns } = parseConfig(config);
    if (threadId === undefined) return undefined;
    const thread = this.#thread(threadId);
    if (!(await thread.catchUp())) return undefined;
    const id = getCheckpointId(config);
    const found = id ? thread.state.get(ns, id) : thread.state.checkpoints(ns)[0];
    return found === undefined ? undefined : this.#tuple(thread, threadId, ns, found);
  }

  /** Newest first within a thread; without a `thread_id`, across all threads. */
  async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { threadId } = parseConfig(config);
    const ns = config.configurable?.["checkpoint_ns"] as string | undefined;
    const id = config.configurable?.["checkpoint_id"] as string | undefined;
    const before = options.before?.configurable?.["checkpoint_id"] as string | undefined;
    let left = options.limit ?? Infinity;
    for (const currentId of threadId === undefined ? await this.#threadIds() : [threadId]) {
      const thread = this.#thread(currentId);
      if (!(await thread.catchUp())) continue;
      for (const namespace of ns === undefined ? thread.state.namespaces() : [ns]) {
        for (const found of thread.state.checkpoints(namespace)) {
          if (left <= 0) return;
          if ((id && found.id !== id) || (before !== undefined && found.id >= before)) continue;
          const tuple = await this.#tuple(thread, currentId, namespace, found);
          const { metadata } = tuple;
          const matches = Object.entries(options.filter ?? {}).every(
            ([key, value]) => (metadata as Record<string, unknown>)[key] === value,
          );
          if (!matches) continue;
          left -= 1;
          yield tuple;
        }
      }
    }
  }

  /** Stores a checkpoint, with the values whose version is new. */
  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns } = parseConfig(config);
    if (threadId === undefined) throw missingConfigError("thread_id");
    const thread = await this.#openThread(threadId);
    const { channel_values: values, ...rest } = checkpoint;
    const changed: [string, string, Serialized][] = [];
    for (const [channel, version] of Object.entries(newVersions)) {
      if (!Object.hasOwn(values, channel)) continue;
      changed.push([channel, JSON.stringify(version), await this.#serialize(values[channel])]);
    }
    const newCheckpoint = {
      ns,
      id: checkpoint.id,
      parent: config.configurable?.["checkpoint_id"] as string | undefined,
      checkpoint: await this.#json(rest),
      metadata: await this.#json(metadata),
      values: changed,
    };
    const session = await thread.session();
    await thread.append(await thread.state.checkpointEvents(newCheckpoint, session));
    return configOf(threadId, ns, checkpoint.id);
  }

  /** Stores writes of tasks that no checkpoint contains yet. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { threadId, ns } = parseConfig(config);
    const id = config.configurable?.["checkpoint_id"] as string | undefined;
    if (threadId === undefined) throw missingConfigError("thread_id");
    if (id === undefined) throw missingConfigError("checkpoint_id");
    const thread = await this.#openThread(threadId);
    const newWrites: [string, number, Serialized][] = [];
    for (const [index, [channel, value]] of writes.entries()) {
      newWrites.push([channel, WRITES_IDX_MAP[channel] ?? index, await this.#serialize(value)]);
    }
    const session = await thread.session();
    const events = await thread.state.writesEvents(
      { ns, id, task: taskId, writes: newWrites },
      session,
    );
    await thread.append(events);
  }

  /** Deletes a thread with all its checkpoints, writes and large values. */
  async deleteThread(threadId: string): Promise<void> {
    await this.#thread(threadId).purge();
    const isListed = (await this.#index.catchUp()) && this.#index.state.has(threadId);
    if (isListed) await this.#index.append([ThreadIndex.removedEvent(threadId)]);
  }

  async #tuple(
    thread: Journal<Thread>,
    threadId: string,
    ns: string,
    found: StoredCheckpoint,
  ): Promise<CheckpointTuple> {
    const session = await thread.session();
    const load = async (value: ChannelValue): Promise<unknown> => {
      const text = await thread.state.read(value, session);
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
      await this.#movePendingSends(checkpoint, thread.state.get(ns, parent), load);
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

  /** Checkpoints of older LangGraph releases stored these as writes of the parent. */
  async #movePendingSends(
    checkpoint: Checkpoint,
    parent: StoredCheckpoint | undefined,
    load: (value: ChannelValue) => Promise<unknown>,
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

  /**
   * Reads what others have stored since, and adds the thread to the index before its first
   * checkpoint.
   */
  async #openThread(threadId: string): Promise<Journal<Thread>> {
    const thread = this.#thread(threadId);
    if (await thread.catchUp()) return thread;
    await this.#index.catchUp();
    const isListed = this.#index.state.has(threadId);
    if (!isListed) await this.#index.append([ThreadIndex.addedEvent(threadId)]);
    return thread;
  }

  async #threadIds(): Promise<readonly string[]> {
    return (await this.#index.catchUp()) ? this.#index.state.ids() : [];
  }

  #thread(threadId: string): Journal<Thread> {
    return getOrCreate(this.#threads, threadId, () => {
      const title = `LangGraph thread ${threadId}`;
      return new Journal(this.#options, new Thread(), title, "langgraph", threadId);
    });
  }
}

function parseConfig({ configurable }: RunnableConfig): {
  threadId: string | undefined;
  ns: string;
} {
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

const missingConfigError = (name: string): Error =>
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
