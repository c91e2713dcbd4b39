/** The endpoints of an owner, which hear of all its sessions, for whoever has its key. */
import type {
  CallOptions,
  DeliveryQuery,
  EndpointChanges,
  EndpointInput,
  ReplayInput,
} from "./inputs";
import type { DeliveryPage, Endpoint, EndpointMade } from "./outputs";
import { queryOf } from "./query";
import type { AskByKey } from "./sessions";

/** `baton.endpoints`: the owner's endpoints. */
export class Endpoints {
  readonly #byKey: AskByKey;

  /** Made by `Baton.connect`. */
  constructor(byKey: AskByKey) {
    this.#byKey = byKey;
  }

  /** Registers an address. The secret that signs its deliveries is shown this once. */
  add(input: EndpointInput, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#ask("POST", "", options, input);
  }

  /** Oldest first. */
  async list(options: CallOptions = {}): Promise<readonly Endpoint[]> {
    const body = await this.#ask<{ readonly endpoints: readonly Endpoint[] }>("GET", "", options);
    return body.endpoints;
  }

  /** One of them, by its id. */
  get(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#one("GET", `/${encodeURIComponent(id)}`, options);
  }

  /** Address, notices, format or labels; `status: "active"` ends a suspension. */
  change(id: string, changes: EndpointChanges, options: CallOptions = {}): Promise<Endpoint> {
    return this.#one("PATCH", `/${encodeURIComponent(id)}`, options, changes);
  }

  /** Nothing is posted there any more. */
  remove(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return this.#one("DELETE", `/${encodeURIComponent(id)}`, options);
  }

  /** A new secret; for a day deliveries are signed with both. */
  rotate(id: string, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#ask("POST", `/${encodeURIComponent(id)}/rotate`, options, {});
  }

  /** What was posted and what was answered, newest first. */
  deliveries(
    id: string,
    { cursor, limit, ...options }: CallOptions & DeliveryQuery = {},
  ): Promise<DeliveryPage> {
    const path = `/${encodeURIComponent(id)}/deliveries${queryOf({ cursor, limit })}`;
    return this.#ask("GET", path, options);
  }

  /** Sends again, what was given up too. Ends a suspension. */
  replay(id: string, wish: ReplayInput, options: CallOptions = {}): Promise<Endpoint> {
    return this.#one("POST", `/${encodeURIComponent(id)}/replay`, options, wish);
  }

  async #one(
    method: string,
    path: string,
    options: CallOptions,
    body?: unknown,
  ): Promise<Endpoint> {
    const answer = await this.#ask<{ readonly endpoint: Endpoint }>(method, path, options, body);
    return answer.endpoint;
  }

  async #ask<T>(method: string, path: string, options: CallOptions, body?: unknown): Promise<T> {
    const sent = body === undefined ? options : { ...options, body };
    return (await this.#byKey(method, `/endpoints${path}`, sent)).body as T;
  }
}
