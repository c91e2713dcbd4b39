/**
 * The Worker's one way to any object, with the one policy for what can go wrong on the way. Overload
 * is passed on at once; a reset is retried on a new stub, but only what can be repeated without harm;
 * the wait is timed. Nobody else touches a namespace, so nobody can forget any of it.
 */
import type { Credential } from "../domain/participants/admission";
import type { Failure } from "../domain/failure";
import { shardOf } from "../domain/links/link";
import { counterOf } from "../domain/links/miss-limit";
import { CREDENTIAL_HEADER, HEAD_HEADER } from "../domain/log/live-wire";
import { directoryName } from "../domain/owners/owners";
import { ownersObject, sharedObject } from "../domain/owners/place";
import { NEWER_DATA } from "../domain/newer-data";
import { QUEUE_HEADER, type QueuePlace } from "../domain/jobs/queues";
import { isJurisdiction, type Jurisdiction, type Location } from "../domain/session/location";
import type { Env } from "../env";
import type { QueuePort } from "../object/agent-queue";
import type { Answering, Asking, Reads, SessionPort, Writes } from "../object/door";
import type { EndpointPort } from "../object/endpoint-messages";
import type { OwnerDirectoryPort } from "../object/directory-messages";
import type { WatchRequest } from "../object/job-messages";
import type {
  Appended,
  AppendRequest,
  DirectoryPort,
  LinkEntry,
  MissPort,
  Refusal,
  Reply,
} from "../object/messages";
import type { Call } from "./call";
import type { Listening } from "./feed";
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
type Told<M extends keyof OwnerDirectoryPort> = Awaited<ReturnType<OwnerDirectoryPort[M]>>;

export class Objects {
  readonly #env: Env;
  /** Of the request that is served: it keeps the time spent waiting for objects. */
  readonly #timed: Call | null;

  constructor(env: Env, timed: Call | null) {
    this.#env = env;
    this.#timed = timed;
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
    command: Asking<Writes, K>,
    /** Counts for the first request of an object, which decides where it is. */
    locationHint?: Location["locationHint"],
  ): Promise<Answering<Writes, K>> {
    const session = () => this.#session(id, locationHint);
    return this.#ask(session, REPEATABLE[command.kind](command), (object) => object.write(command));
  }

  append(id: DurableObjectId, batch: AppendRequest): Promise<Reply<Appended>> {
    const session = () => this.#session(id);
    return this.#ask(session, batch.key !== null, (object) => object.append(batch));
  }

  read<K extends keyof Reads>(id: DurableObjectId, query: Asking<Reads, K>) {
    const session = () => this.#session(id);
    return this.#ask(session, true, (object) => object.read(query));
  }

  /** A socket on which the session announces what it commits. */
  listen(id: DurableObjectId, shown: Credential | WatchRequest): Promise<Reply<Listening>> {
    const headers = { [CREDENTIAL_HEADER]: JSON.stringify(shown) };
    return this.#upgrade(
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
    const name = shardOf(code);
    const find = (id: DurableObjectId) => {
      const shard = () => HANDOFFS.get(id) as unknown as DirectoryPort;
      return this.#value(shard, true, (directory) => directory.find(code));
    };
    const [here, before] = [sharedObject(this.#env, HANDOFFS, name), HANDOFFS.idFromName(name)];
    const found = await find(here);
    return !found.ok || found.value !== null || here.equals(before) ? found : find(before);
  }

  /** The counter of an address that typed wrong codes, by its hash. */
  misses<T>(address: string, ask: (counter: MissPort) => Promise<T>): Promise<Reply<T>> {
    const { MISSES } = this.#env;
    const id = sharedObject(this.#env, MISSES, counterOf(address));
    return this.#value(() => MISSES.get(id) as unknown as MissPort, false, ask);
  }

  /** An offer that is shown twice costs a question and nothing else. */
  queue<T>(place: QueuePlace, ask: (queue: QueuePort) => Promise<T>): Promise<Reply<T>> {
    return this.#value(() => this.#queue(place) as unknown as QueuePort, true, ask);
  }

  #queue({ owner, object }: QueuePlace): DurableObjectStub {
    const { AGENT_QUEUE } = this.#env;
    return AGENT_QUEUE.get(ownersObject(this.#env, AGENT_QUEUE, owner, object));
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
  endpoint<T>(hex: string, ask: (endpoint: EndpointPort) => Promise<T>): Promise<Reply<T>> | null {
    const { NOTICE_ENDPOINT } = this.#env;
    try {
      const id = NOTICE_ENDPOINT.idFromString(hex);
      return this.#value(() => NOTICE_ENDPOINT.get(id) as unknown as EndpointPort, true, ask);
    } catch {
      return null;
    }
  }

  /** A socket on which a queue says that there is an offer. */
  awaitOffers(place: QueuePlace): Promise<Reply<WebSocket>> {
    const queue = () => this.#queue(place);
    return this.#upgrade(queue, { [QUEUE_HEADER]: place.queue }, (socket) => socket);
  }

  /** What is told to it changes nothing when it is told twice. */
  ownerDirectory<M extends keyof OwnerDirectoryPort>(
    owner: string,
    method: M,
    ...given: Parameters<OwnerDirectoryPort[M]>
  ): Promise<Reply<Told<M>>> {
    type Asked = Record<M, (...values: typeof given) => Promise<Told<M>>>;
    const directory = () => this.#owners(owner) as unknown as Asked;
    return this.#value(directory, true, (stub) => stub[method](...given));
  }

  #owners(owner: string): DurableObjectStub {
    const { OWNER_DIRECTORY } = this.#env;
    const id = ownersObject(this.#env, OWNER_DIRECTORY, owner, directoryName(owner));
    return OWNER_DIRECTORY.get(id);
  }

  /** A socket on which an owner's directory says that something changed. */
  awaitChanges(owner: string): Promise<Reply<WebSocket>> {
    const directory = () => this.#owners(owner);
    return this.#upgrade(directory, {}, (socket) => socket);
  }

  #session(id: DurableObjectId, locationHint?: Location["locationHint"]): SessionPort {
    const options = locationHint === undefined ? undefined : { locationHint };
    return this.#env.SESSION.get(id, options) as unknown as SessionPort;
  }

  #value<Stub, T>(
    connect: () => Stub,
    isRepeatable: boolean,
    ask: (stub: Stub) => Promise<T>,
  ): Promise<Reply<T>> {
    return this.#ask(connect, isRepeatable, async (stub) => ({
      ok: true as const,
      value: await ask(stub),
    }));
  }

  #upgrade<T>(
    connect: () => Fetcher,
    headers: Record<string, string>,
    made: (socket: WebSocket, said: Headers) => T,
  ): Promise<Reply<T>> {
    return this.#ask(connect, true, async (stub): Promise<Reply<T>> => {
      const asking = { headers: { Upgrade: "websocket", ...headers } };
      const response = await stub.fetch("http://object/listen", asking);
      if (response.webSocket === null) return response.json<Refusal>();
      response.webSocket.accept();
      return { ok: true, value: made(response.webSocket, response.headers) };
    });
  }

  async #ask<Stub, R>(
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
        const timed = this.#timed;
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
