/**
 * The only way from the Worker to any object, with one policy for failures. Overload is returned at
 * once; a reset is retried on a new stub, but only if the call is repeatable; every call is timed. No
 * other file uses a namespace, so none can miss a part of this policy.
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
import type {
  RpcResponse,
  RpcRequest,
  ReadRpcs,
  SessionRpc,
  WriteRpcs,
} from "../object/session-rpc";
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
/** About the time that a deploy takes to reach every location. */
const NEWER_DATA_RETRY_MS = 30_000;

interface PlatformError {
  readonly overloaded?: boolean;
  readonly retryable?: boolean;
  /** The object restarted during the call; the next call reaches a new instance. */
  readonly durableObjectReset?: boolean;
}

/** What a method of the owner's directory returns. */
type DirectoryReply<M extends keyof OwnerDirectoryRpc> = Awaited<ReturnType<OwnerDirectoryRpc[M]>>;

export class Objects {
  readonly #env: Env;
  /** Of the current request: accumulates the time spent waiting for objects. */
  readonly #telemetry: RequestTelemetry | null;

  constructor(env: Env, telemetry: RequestTelemetry | null) {
    this.#env = env;
    this.#telemetry = telemetry;
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

  /** The development platform supports no jurisdictions, and fails only when one is used. */
  hasJurisdiction(jurisdiction: Jurisdiction): boolean {
    try {
      return this.#sessionsIn(jurisdiction).newUniqueId() !== undefined;
    } catch {
      return false;
    }
  }

  /** The platform checks the id's MAC, so a forged id is rejected here and wakes no object. */
  sessionAt(hex: string): DurableObjectId | null {
    try {
      return this.#env.SESSION.idFromString(hex);
    } catch {
      return null;
    }
  }

  write<K extends keyof WriteRpcs>(
    id: DurableObjectId,
    command: RpcRequest<WriteRpcs, K>,
    /** Only the first request to an object counts: it decides the object's location. */
    locationHint?: Location["locationHint"],
  ): Promise<RpcResponse<WriteRpcs, K>> {
    const session = () => this.#session(id, locationHint);
    return this.#call(session, REPEATABLE[command.kind](command), (object) =>
      object.write(command),
    );
  }

  append(id: DurableObjectId, batch: AppendRequest): Promise<Reply<AppendOutcome>> {
    const session = () => this.#session(id);
    return this.#call(session, batch.key !== null, (object) => object.append(batch));
  }

  read<K extends keyof ReadRpcs>(id: DurableObjectId, query: RpcRequest<ReadRpcs, K>) {
    const session = () => this.#session(id);
    return this.#call(session, true, (object) => object.read(query));
  }

  /** A socket on which the session announces its commits. */
  listen(id: DurableObjectId, credential: Credential | WatchRequest): Promise<Reply<LiveSocket>> {
    const headers = { [CREDENTIAL_HEADER]: JSON.stringify(credential) };
    return this.#openSocket(
      () => this.#env.SESSION.get(id),
      headers,
      (socket, responseHeaders) => ({ socket, head: Number(responseHeaders.get(HEAD_HEADER)) }),
    );
  }

  /**
   * Finds a link by the hash of its code. Links from before the deployment had a jurisdiction are in the
   * shard without one.
   */
  async findLink(code: string): Promise<Reply<LinkEntry | null>> {
    const { HANDOFFS } = this.#env;
    const name = linkShardName(code);
    const find = (id: DurableObjectId) => {
      const shard = () => HANDOFFS.get(id) as unknown as HandoffDirectoryRpc;
      return this.#callForValue(shard, true, (directory) => directory.find(code));
    };
    const [current, legacy] = [
      sharedObjectId(this.#env, HANDOFFS, name),
      HANDOFFS.idFromName(name),
    ];
    const found = await find(current);
    return !found.ok || found.value !== null || current.equals(legacy) ? found : find(legacy);
  }

  /** The counter of wrong codes for the hash of a network. */
  missCounter<T>(
    address: string,
    call: (counter: MissCounterRpc) => Promise<T>,
  ): Promise<Reply<T>> {
    const { MISSES } = this.#env;
    const id = sharedObjectId(this.#env, MISSES, missCounterName(address));
    return this.#callForValue(() => MISSES.get(id) as unknown as MissCounterRpc, false, call);
  }

  /** Repeatable: an offer that is returned twice costs one more call and nothing else. */
  queue<T>(location: QueueLocation, call: (queue: AgentQueueRpc) => Promise<T>): Promise<Reply<T>> {
    return this.#callForValue(() => this.#queue(location) as unknown as AgentQueueRpc, true, call);
  }

  #queue({ owner, object }: QueueLocation): DurableObjectStub {
    const { AGENT_QUEUE } = this.#env;
    return AGENT_QUEUE.get(ownerObjectId(this.#env, AGENT_QUEUE, owner, object));
  }

  /** In the deployment's jurisdiction, if it has one: the owner of the session is not known here. */
  newEndpoint(): DurableObjectId {
    const { NOTICE_ENDPOINT, FILES_JURISDICTION: jurisdiction } = this.#env;
    const isAvailable = isJurisdiction(jurisdiction) && this.hasJurisdiction(jurisdiction);
    return (
      isAvailable ? NOTICE_ENDPOINT.jurisdiction(jurisdiction) : NOTICE_ENDPOINT
    ).newUniqueId();
  }

  /** The hex id of the endpoint whose object is named `name`. */
  namedEndpoint(name: string): string {
    return this.#env.NOTICE_ENDPOINT.idFromName(name).toString();
  }

  /** Calls an endpoint's object. The platform checks the id's MAC; null if it was never issued. */
  endpoint<T>(
    hex: string,
    call: (endpoint: NoticeEndpointRpc) => Promise<T>,
  ): Promise<Reply<T>> | null {
    const { NOTICE_ENDPOINT } = this.#env;
    try {
      const id = NOTICE_ENDPOINT.idFromString(hex);
      return this.#callForValue(
        () => NOTICE_ENDPOINT.get(id) as unknown as NoticeEndpointRpc,
        true,
        call,
      );
    } catch {
      return null;
    }
  }

  /** A socket on which a queue signals new offers. */
  listenForOffers(location: QueueLocation): Promise<Reply<WebSocket>> {
    const queue = () => this.#queue(location);
    return this.#openSocket(queue, { [QUEUE_HEADER]: location.queue }, (socket) => socket);
  }

  /** Repeatable: every method of the directory is idempotent. */
  ownerDirectory<M extends keyof OwnerDirectoryRpc>(
    owner: string,
    method: M,
    ...args: Parameters<OwnerDirectoryRpc[M]>
  ): Promise<Reply<DirectoryReply<M>>> {
    type DirectoryStub = Record<M, (...values: typeof args) => Promise<DirectoryReply<M>>>;
    const directory = () => this.#ownerDirectory(owner) as unknown as DirectoryStub;
    return this.#callForValue(directory, true, (stub) => stub[method](...args));
  }

  #ownerDirectory(owner: string): DurableObjectStub {
    const { OWNER_DIRECTORY } = this.#env;
    const id = ownerObjectId(this.#env, OWNER_DIRECTORY, owner, directoryName(owner));
    return OWNER_DIRECTORY.get(id);
  }

  /** A socket on which an owner's directory signals changes. */
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
    call: (stub: Stub) => Promise<T>,
  ): Promise<Reply<T>> {
    return this.#call(connect, isRepeatable, async (stub) => ({
      ok: true as const,
      value: await call(stub),
    }));
  }

  #openSocket<T>(
    connect: () => Fetcher,
    headers: Record<string, string>,
    toValue: (socket: WebSocket, responseHeaders: Headers) => T,
  ): Promise<Reply<T>> {
    return this.#call(connect, true, async (stub): Promise<Reply<T>> => {
      const init = { headers: { Upgrade: "websocket", ...headers } };
      const response = await stub.fetch("http://object/listen", init);
      if (response.webSocket === null) return response.json<Refusal>();
      response.webSocket.accept();
      return { ok: true, value: toValue(response.webSocket, response.headers) };
    });
  }

  async #call<Stub, R>(
    connect: () => Stub,
    isRepeatable: boolean,
    call: (stub: Stub) => Promise<R>,
  ): Promise<R | Refusal> {
    for (let attempt = 1; ; attempt++) {
      const startedAt = Date.now();
      try {
        return await call(connect());
      } catch (error) {
        const { overloaded, retryable, durableObjectReset } = error as PlatformError;
        if (overloaded === true) return { ok: false, failure: overload };
        if (retryable === true || durableObjectReset === true) {
          if (isRepeatable && attempt < ATTEMPTS) continue;
          // It is unknown whether it was written; with an idempotency key the client can repeat the
          // request.
          return { ok: false, failure: (await diskFailure(this.#env)) ?? overload };
        }
        if (String(error).includes(NEWER_DATA)) return { ok: false, failure: newerData };
        const failure = await diskFailure(this.#env);
        if (failure !== null) return { ok: false, failure };
        throw error;
      } finally {
        const telemetry = this.#telemetry;
        if (telemetry !== null)
          telemetry.objectMs = Date.now() - startedAt + (telemetry.objectMs ?? 0);
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
