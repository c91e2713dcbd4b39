/**
 * The Durable Object of one session: the only authority over it. A shell that knows the platform
 * and none of the rules: `write`, `append` and `read` are its RPC methods; it also owns the alarm
 * and the sockets. Every method that is not `#private` can be called by the Worker, and only by it.
 */
import { agentsFromSetting } from "../domain/jobs/agents-setting";
import { isKeyListed, rightsOfKey } from "../domain/owners/owners";
import { sessionIdFromHex } from "../domain/ids";
import { listenerLimit, settingsFrom, type Env } from "../env";
import { BlobStore } from "../storage/blob-store";
import { CheckpointStore } from "../storage/checkpoint-store";
import { JobStore } from "../storage/job-store";
import { OnceStore } from "../storage/once-store";
import { PrivateStore } from "../storage/private-store";
import { SessionStore } from "../storage/session-store";
import { readTombstone } from "../storage/tombstone";
import { UploadStore } from "../storage/upload-store";
import { runWithRemoteData, type RemoteData } from "./remote-data";
import type { SessionContext } from "./session-context";
import type { RpcResponse, RpcRequest, ReadRpcs, SessionRpc, WriteRpcs } from "./session-rpc";
import { GroupCommit } from "./group-commit";
import { Listeners, admitListener } from "./listeners";
import { measureCommit } from "./measure";
import type { AppendOutcome, AppendRequest, Reply } from "./messages";
import { executeRead } from "./read-handlers";
import { WebSocketObject } from "./stored-object";
import { ConflictQueue, executeWrite, executeAppend } from "./write-handlers";
import { AlarmScheduler } from "./alarm-scheduler";

export class SessionObject extends WebSocketObject implements SessionRpc {
  readonly #context: SessionContext;
  readonly #listeners = new Listeners(this.ctx);
  readonly #scheduler: AlarmScheduler;
  readonly #group = new GroupCommit(() => this.ctx.storage.sync());
  readonly #conflicts = new ConflictQueue();

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { sql } = this;
    const listeners = this.#listeners;
    // Read each time: tests inject a fault by giving the object another binding.
    const current = () => this.env;
    const id = sessionIdFromHex(state.id.toString());
    this.#context = {
      id,
      store: new SessionStore(sql, id),
      checkpoints: new CheckpointStore(sql),
      uploads: new UploadStore(sql),
      blobs: new BlobStore(sql),
      jobs: new JobStore(sql),
      privates: new PrivateStore(sql),
      onces: new OnceStore(sql),
      tombstone: () => readTombstone(sql),
      settings: () => settingsFrom(current()),
      resolveOrigin: (from = { address: null, principal: null }) => ({
        ...from,
        isListed: (keyHash) => isKeyListed(current().OWNERS, keyHash, Date.now()),
      }),
      canCreateSession: (keyHash) =>
        rightsOfKey(current().OWNERS, keyHash, Date.now())?.includes("create") === true,
      agents: () => agentsFromSetting(current().AGENTS),
      random: Math.random,
      online: () => listeners.online(),
      announce: (record) => {
        listeners.announce(record);
        measureCommit(current().METRICS, id, record);
      },
    };
    this.#scheduler = new AlarmScheduler({
      env: current,
      storage: state.storage,
      sql,
      meter: this.meter,
      context: this.#context,
      listeners,
      background: (work) => state.waitUntil(work),
    });
  }

  async write<K extends keyof WriteRpcs>(
    command: RpcRequest<WriteRpcs, K>,
  ): Promise<RpcResponse<WriteRpcs, K>> {
    const run = (remoteData?: RemoteData) =>
      executeWrite(
        this.#context,
        remoteData === undefined ? command : { ...command, answers: remoteData },
        Date.now(),
      );
    // Reports of executors arrive as often as appends, so they are grouped. All other writes run at
    // once.
    const isGrouped = (command as { readonly kind: keyof WriteRpcs }).kind === "reportJob";
    const reply = isGrouped
      ? await this.#group.add(run)
      : await runWithRemoteData(this.env, (remoteData) =>
          this.#conflicts.run(() => run(remoteData)),
        );
    return this.#scheduler.afterWrite(command, reply);
  }

  async append(batch: AppendRequest): Promise<Reply<AppendOutcome>> {
    const reply = await this.#group.add(() => executeAppend(this.#context, batch, Date.now()));
    return this.#scheduler.afterAppend(reply);
  }

  async read<K extends keyof ReadRpcs>(
    query: RpcRequest<ReadRpcs, K>,
  ): Promise<RpcResponse<ReadRpcs, K>> {
    return this.#scheduler.withAlarmRestored(executeRead(this.#context, query, Date.now()));
  }

  /**
   * A refusal is the same message as over RPC, sent as JSON: a WebSocket upgrade can only be
   * answered with a response.
   */
  override async fetch(request: Request): Promise<Response> {
    const limit = listenerLimit(this.env);
    const admitted = admitListener(
      this.#context,
      this.#listeners,
      request.headers,
      limit,
      Date.now(),
    );
    const reply = await this.#scheduler.withAlarmRestored(admitted);
    const { store } = this.#context;
    return reply.ok ? this.#listeners.accept(reply.value, store.head()) : Response.json(reply);
  }

  override async alarm(): Promise<void> {
    return this.#scheduler.alarm();
  }
}
