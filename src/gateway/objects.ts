/**
 * The Worker's one way to any object, with the one policy for what can go wrong on the way. Overload
 * is passed on at once; a reset is retried on a new stub, but only what can be repeated without harm;
 * the wait is timed. Nobody else touches a namespace, so nobody can forget any of it.
 */
import type { Credential } from "../domain/participants/admission";
import type { Failure } from "../domain/failure";
import { linkShardName } from "../domain/links/link";
import { missCounterName } from "../domain/links/miss-limit";
import { CREDENTIAL_HEADER, HEAD_HEADER } from "../domain/log/listener-protocol";
import { directoryName } from "../domain/owners/owners";
import { ownerObjectId, sharedObjectId } from "../domain/owners/object-location";
import { NEWER_DATA } from "../domain/newer-data";
import { QUEUE_HEADER, type QueueLocation } from "../domain/jobs/queues";
import { isJurisdiction, type Jurisdiction, type Location } from "../domain/session/location";
import type { Env } from "../env";
import type { AgentQueueRpc } from "../object/agent-queue";
import type { RpcResponse, RpcRequest, Reads, SessionRpc, Writes } from "../object/session-rpc";
import type { NoticeEndpointRpc } from "../object/endpoint-messages";
import type { OwnerDirectoryRpc } from "../object/directory-messages";
import type { WatchRequest } from "../object/job-messages";
import type {
  AppendOutcome,
  AppendRequest,
  HandoffDirectoryRpc,
  LinkEntry,
  MissCounterRpc,
  Refusal,
  Reply,
} from "../object/messages";
import type { RequestTelemetry } from "./request-telemetry";
import type { LiveSocket } from "./feed";
import { diskFailure } from "./host";
import { REPEATABLE } from "./repeatable";

const ATTEMPTS = 3;
const OVERLOAD_RETRY_MS = 1_000;
/** About what a deploy takes to reach every place. */
const NEWER_DATA_RETRY_MS = 30_000;

interface PlatformError {
  readonly overloaded?: boolean;
  readonly retryable?: boolean;
  /** The object was restarted under the call; the next one finds a new instance. */
  readonly durableObjectReset?: boolean;
}

/** What an owner's directory answers. */
type DirectoryReply<M extends keyof OwnerDirectoryRpc> = Awaited<ReturnType<OwnerDirectoryRpc[M]>>;

export class Objects {
  readonly #env: Env;
  /** Of the request that is served: it keeps the time spent waiting for objects. */
  readonly #telemetry: RequestTelemetry | null;

  constructor(env: Env, timed: RequestTelemetry | null) {
    this.#env = env;
    this.#telemetry = timed;
  }

  newSession(jurisdiction?: Jurisdiction): DurableObjectId {
    return this.#sessionsIn(jurisdiction).newUniqueId();
  }

  sessionNamed(name: string, jurisdiction?: Jurisdiction): DurableObjectId {
    return this.#sessionsIn(jurisdiction).idFromName(name);
  }

  #sessionsIn(jurisdiction: Jurisdiction | undefined): DurableObjectNamespace {
    const { SESSION } = this.#env;
    return jurisdiction === undefined ? SESSION : SESSION.jurisdiction(jurisdiction);
  }

  /** The platform that this is developed on has none, and says so only when it is asked. */
  hasJurisdiction(jurisdiction: Jurisdiction): boolean {
    try {
      return this.#sessionsIn(jurisdiction).newUniqueId() !== undefined;
    } catch {
      return false;
    }
  }

  /** The platform checks the id's MAC, so a forged one ends here and wakes nothing. */
  sessionAt(hex: string): DurableObjectId | null {
    try {
      return this.#env.SESSION.idFromString(hex);
    } catch {
      return null;
    }
  }

  write<K extends keyof Writes>(
    id: DurableObjectId,
    command: RpcRequest<Writes, K>,
    /** Counts for the first request of an object, which decides where it is. */
    locationHint?: Location["locationHint"],
  ): Promise<RpcResponse<Writes, K>> {
    const session = () => this.#session(id, locationHint);
    return this.#call(session, REPEATABLE[command.kind](command), (object) =>
      object.write(command),
    );
  }

  append(id: DurableObjectId, batch: AppendRequest): Promise<Reply<AppendOutcome>> {
    const session = () => this.#session(id);
    return this.#call(session, batch.key !== null, (object) => object.append(batch));
  }

  read<K extends keyof Reads>(id: DurableObjectId, query: RpcRequest<Reads, K>) {
    const session = () => this.#session(id);
    return this.#call(session, true, (object) => object.read(query));
  }

  /** A socket on which the session announces what it commits. */
  listen(id: DurableObjectId, shown: Credential | WatchRequest): Promise<Reply<LiveSocket>> {
    const headers = { [CREDENTIAL_HEADER]: JSON.stringify(shown) };
    return this.#openSocket(
      () => this.#env.SESSION.get(id),
      headers,
      (socket, said) => ({ socket, head: Number(said.get(HEAD_HEADER)) }),
    );
  }

  /**
   * Where a code leads, by its hash. Links from before the deployment had a jurisdiction are listed in
   * the shard that has none.
   */
  async findLink(code: string): Promise<Reply<LinkEntry | null>> {
    const { HANDOFFS } = this.#env;
    const name = linkShardName(code);
    const find = (id: DurableObjectId) => {
      const shard = () => HANDOFFS.get(id) as unknown as HandoffDirectoryRpc;
      return this.#callForValue(shard, true, (directory) => directory.find(code));
    };
    const [here, before] = [sharedObjectId(this.#env, HANDOFFS, name), HANDOFFS.idFromName(name)];
    const found = await find(here);
    return !found.ok || found.value !== null || here.equals(before) ? found : find(before);
  }

  /** The counter of an address that typed wrong codes, by its hash. */
  missCounter<T>(address: string, ask: (counter: MissCounterRpc) => Promise<T>): Promise<Reply<T>> {
    const { MISSES } = this.#env;
    const id = sharedObjectId(this.#env, MISSES, missCounterName(address));
    return this.#callForValue(() => MISSES.get(id) as unknown as MissCounterRpc, false, ask);
  }

  /** An offer that is shown twice costs a question and nothing else. */
  queue<T>(place: QueueLocation, ask: (queue: AgentQueueRpc) => Promise<T>): Promise<Reply<T>> {
    return this.#callForValue(() => this.#queue(place) as unknown as AgentQueueRpc, true, ask);
  }

  #queue({ owner, object }: QueueLocation): DurableObjectStub {
    const { AGENT_QUEUE } = this.#env;
    return AGENT_QUEUE.get(ownerObjectId(this.#env, AGENT_QUEUE, owner, object));
  }

  /** In the deployment's jurisdiction, if it has one: whose session it is for is not known here. */
  newEndpoint(): DurableObjectId {
    const { NOTICE_ENDPOINT, FILES_JURISDICTION: place } = this.#env;
    const isThere = isJurisdiction(place) && this.hasJurisdiction(place);
    return (isThere ? NOTICE_ENDPOINT.jurisdiction(place) : NOTICE_ENDPOINT).newUniqueId();
  }

  /** The endpoint whose object follows from a name, as hex. */
  namedEndpoint(name: string): string {
    return this.#env.NOTICE_ENDPOINT.idFromName(name).toString();
  }

  /** An endpoint's object. The platform checks the id's MAC; null for one that was never given out. */
  endpoint<T>(
    hex: string,
    ask: (endpoint: NoticeEndpointRpc) => Promise<T>,
  ): Promise<Reply<T>> | null {
    const { NOTICE_ENDPOINT } = this.#env;
    try {
      const id = NOTICE_ENDPOINT.idFromString(hex);
      return this.#callForValue(
        () => NOTICE_ENDPOINT.get(id) as unknown as NoticeEndpointRpc,
        true,
        ask,
      );
    } catch {
      return null;
    }
  }

  /** A socket on which a queue says that there is an offer. */
  listenForOffers(place: QueueLocation): Promise<Reply<WebSocket>> {
    const queue = () => this.#queue(place);
    return this.#openSocket(queue, { [QUEUE_HEADER]: place.queue }, (socket) => socket);
  }

  /** What is told to it changes nothing when it is told twice. */
  ownerDirectory<M extends keyof OwnerDirectoryRpc>(
    owner: string,
    method: M,
    ...given: Parameters<OwnerDirectoryRpc[M]>
  ): Promise<Reply<DirectoryReply<M>>> {
    type Asked = Record<M, (...values: typeof given) => Promise<DirectoryReply<M>>>;
    const directory = () => this.#ownerDirectory(owner) as unknown as Asked;
    return this.#callForValue(directory, true, (stub) => stub[method](...given));
  }

  #ownerDirectory(owner: string): DurableObjectStub {
    const { OWNER_DIRECTORY } = this.#env;
    const id = ownerObjectId(this.#env, OWNER_DIRECTORY, owner, directoryName(owner));
    return OWNER_DIRECTORY.get(id);
  }

  /** A socket on which an owner's directory says that something changed. */
  listenForChanges(owner: string): Promise<Reply<WebSocket>> {
    const directory = () => this.#ownerDirectory(owner);
    return this.#openSocket(directory, {}, (socket) => socket);
  }

  #session(id: DurableObjectId, locationHint?: Location["locationHint"]): SessionRpc {
    const options = locationHint === undefined ? undefined : { locationHint };
    return this.#env.SESSION.get(id, options) as unknown as SessionRpc;
  }

  #callForValue<Stub, T>(
    connect: () => Stub,
    isRepeatable: boolean,
    ask: (stub: Stub) => Promise<T>,
  ): Promise<Reply<T>> {
    return this.#call(connect, isRepeatable, async (stub) => ({
      ok: true as const,
      value: await ask(stub),
    }));
  }

  #openSocket<T>(
    connect: () => Fetcher,
    headers: Record<string, string>,
    made: (socket: WebSocket, said: Headers) => T,
  ): Promise<Reply<T>> {
    return this.#call(connect, true, async (stub): Promise<Reply<T>> => {
      const asking = { headers: { Upgrade: "websocket", ...headers } };
      const response = await stub.fetch("http://object/listen", asking);
      if (response.webSocket === null) return response.json<Refusal>();
      response.webSocket.accept();
      return { ok: true, value: made(response.webSocket, response.headers) };
    });
  }

  async #call<Stub, R>(
    connect: () => Stub,
    isRepeatable: boolean,
    ask: (stub: Stub) => Promise<R>,
  ): Promise<R | Refusal> {
    for (let attempt = 1; ; attempt++) {
      const startedAt = Date.now();
      try {
        return await ask(connect());
      } catch (error) {
        const { overloaded, retryable, durableObjectReset } = error as PlatformError;
        if (overloaded === true) return { ok: false, failure: overload };
        if (retryable === true || durableObjectReset === true) {
          if (isRepeatable && attempt < ATTEMPTS) continue;
          // Whether it was written is unknown; with a key the client can ask again and find out.
          return { ok: false, failure: (await diskFailure(this.#env)) ?? overload };
        }
        if (String(error).includes(NEWER_DATA)) return { ok: false, failure: newerData };
        const failure = await diskFailure(this.#env);
        if (failure !== null) return { ok: false, failure };
        throw error;
      } finally {
        const timed = this.#telemetry;
        if (timed !== null) timed.objectMs = Date.now() - startedAt + (timed.objectMs ?? 0);
      }
    }
  }
}

const overload: Failure = { code: "overloaded", retryAfterMs: OVERLOAD_RETRY_MS };
const newerData: Failure = {
  code: "overloaded",
  retryAfterMs: NEWER_DATA_RETRY_MS,
  why: "newer_data",
};
