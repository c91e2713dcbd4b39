/**
 * The Durable Object of one session: the only authority over it. A shell that knows the platform and
 * nothing of the work: `write`, `append` and `read` are its door, beside them are its alarm and its
 * sockets. Every method that is not `#private` can be called by the Worker, and only by it.
 */
import { agentsOf } from "../domain/jobs/agents-setting";
import { isKeyListed, rightsOf } from "../domain/owners/owners";
import { sessionIdFromHex } from "../domain/ids";
import { listenerLimit, settingsFrom, type Env } from "../env";
import { BlobStore } from "../storage/blob-store";
import { CheckpointStore } from "../storage/checkpoint-store";
import { JobStore } from "../storage/job-store";
import { PrivateStore } from "../storage/private-store";
import { SessionStore } from "../storage/session-store";
import { tombstoneOf } from "../storage/tombstone";
import { UploadStore } from "../storage/upload-store";
import { runAsking, type Answers } from "./ask-first";
import type { Room } from "./room";
import type { Answering, Asking, Reads, SessionPort, Writes } from "./door";
import { GroupCommit } from "./group-commit";
import { Listeners, admitListener } from "./listeners";
import { measureCommit } from "./measure";
import type { Appended, AppendRequest, Reply } from "./messages";
import { answer } from "./reads";
import { ListenedObject } from "./stored-object";
import { Turns, perform, performAppend } from "./writes";
import { Upkeep } from "./upkeep";

export class SessionObject extends ListenedObject implements SessionPort {
  readonly #room: Room;
  readonly #listeners = new Listeners(this.ctx);
  readonly #upkeep: Upkeep;
  readonly #group = new GroupCommit(() => this.ctx.storage.sync());
  readonly #turns = new Turns();

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    const { sql } = this;
    const listeners = this.#listeners;
    // Asked each time: a fault is tried by giving the object another binding.
    const current = () => this.env;
    const id = sessionIdFromHex(state.id.toString());
    this.#room = {
      id,
      store: new SessionStore(sql, id),
      checkpoints: new CheckpointStore(sql),
      uploads: new UploadStore(sql),
      blobs: new BlobStore(sql),
      jobs: new JobStore(sql),
      privates: new PrivateStore(sql),
      buried: () => tombstoneOf(sql),
      settings: () => settingsFrom(current()),
      here: (from = { address: null, principal: null }) => ({
        ...from,
        isListed: (keyHash) => isKeyListed(current().OWNERS, keyHash, Date.now()),
      }),
      mayBegin: (keyHash) =>
        rightsOf(current().OWNERS, keyHash, Date.now())?.includes("create") === true,
      agents: () => agentsOf(current().AGENTS),
      dice: Math.random,
      online: () => listeners.online(),
      announce: (record) => {
        listeners.announce(record);
        measureCommit(current().METRICS, id, record);
      },
    };
    this.#upkeep = new Upkeep({
      env: current,
      storage: state.storage,
      sql,
      meter: this.meter,
      room: this.#room,
      listeners,
      background: (work) => state.waitUntil(work),
    });
  }

  async write<K extends keyof Writes>(command: Asking<Writes, K>): Promise<Answering<Writes, K>> {
    const performed = (answers?: Answers) =>
      perform(this.#room, answers === undefined ? command : { ...command, answers }, Date.now());
    // What executors report comes as densely as appends; all else is written when it comes.
    const isGrouped = (command as { readonly kind: keyof Writes }).kind === "reportJob";
    const reply = isGrouped
      ? await this.#group.add(performed)
      : await runAsking(this.env, (answers) => this.#turns.run(() => performed(answers)));
    return this.#upkeep.afterWrite(command, reply);
  }

  async append(batch: AppendRequest): Promise<Reply<Appended>> {
    const reply = await this.#group.add(() => performAppend(this.#room, batch, Date.now()));
    return this.#upkeep.afterAppend(reply);
  }

  async read<K extends keyof Reads>(query: Asking<Reads, K>): Promise<Answering<Reads, K>> {
    return this.#upkeep.repaired(answer(this.#room, query, Date.now()));
  }

  /** A refusal is the same message as from the door, as JSON: only a response can stand for a socket. */
  override async fetch(request: Request): Promise<Response> {
    const limit = listenerLimit(this.env);
    const admitted = admitListener(this.#room, this.#listeners, request.headers, limit, Date.now());
    const reply = await this.#upkeep.repaired(admitted);
    const { store } = this.#room;
    return reply.ok ? this.#listeners.accept(reply.value, store.head()) : Response.json(reply);
  }

  override async alarm(): Promise<void> {
    return this.#upkeep.alarm();
  }
}
