/**
 * The owner's webhook endpoints, which receive notices of all the owner's sessions. Needs the
 * owner's key.
 */
import type {
  CallOptions,
  DeliveryQuery,
  EndpointChanges,
  EndpointInput,
  ReplayInput,
} from "./inputs";
import type { DeliveryPage, Endpoint, EndpointMade } from "./outputs";
import { queryOf } from "./query";
import type { RequestWithKey } from "./sessions";
import type { WireAnswer } from "./transport";

/** `baton.endpoints`: the owner's endpoints. */
export class Endpoints {
  readonly #requestWithKey: RequestWithKey;

  /** Created by `Baton.connect`. */
  constructor(requestWithKey: RequestWithKey) {
    this.#requestWithKey = requestWithKey;
  }

  /** Registers an address. The secret that signs its deliveries is returned only here. */
  add(input: EndpointInput, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#request("POST", "", options, input);
  }

  /** Oldest first. */
  async list(options: CallOptions = {}): Promise<readonly Endpoint[]> {
    return (await this.#request("GET", "", options)).endpoints;
  }

  /** One endpoint, by its id. */
  async get(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("GET", pathOf(id), options)).endpoint;
  }

  /** Changes address, notices, format or labels; `status: "active"` ends a suspension. */
  async change(id: string, changes: EndpointChanges, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("PATCH", pathOf(id), options, changes)).endpoint;
  }

  /** Removes the endpoint; nothing more is posted to it. */
  async remove(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("DELETE", pathOf(id), options)).endpoint;
  }

  /** Creates a new secret; for one day deliveries are signed with both. */
  rotate(id: string, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#request("POST", `${pathOf(id)}/rotate`, options, {});
  }

  /** Deliveries with their attempts and responses, newest first. */
  deliveries(
    id: string,
    { cursor, limit, ...options }: CallOptions & DeliveryQuery = {},
  ): Promise<DeliveryPage> {
    const path = `${pathOf(id)}/deliveries${queryOf({ cursor, limit })}`;
    return this.#request("GET", path, options);
  }

  /** Sends deliveries again, including those that were given up. Ends a suspension. */
  async replay(id: string, input: ReplayInput, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("POST", `${pathOf(id)}/replay`, options, input)).endpoint;
  }

  async #request(
    method: string,
    path: string,
    options: CallOptions,
    body?: unknown,
  ): Promise<WireAnswer["body"]> {
    const request = body === undefined ? options : { ...options, body };
    return (await this.#requestWithKey(method, `/endpoints${path}`, request)).body;
  }
}

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;
