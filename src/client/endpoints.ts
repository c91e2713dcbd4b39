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
import type { RequestWithKey } from "./sessions";
import type { WireAnswer } from "./transport";

/** `baton.endpoints`: the owner's endpoints. */
export class Endpoints {
  readonly #requestWithKey: RequestWithKey;

  /** Made by `Baton.connect`. */
  constructor(byKey: RequestWithKey) {
    this.#requestWithKey = byKey;
  }

  /** Registers an address. The secret that signs its deliveries is shown this once. */
  add(input: EndpointInput, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#request("POST", "", options, input);
  }

  /** Oldest first. */
  async list(options: CallOptions = {}): Promise<readonly Endpoint[]> {
    return (await this.#request("GET", "", options)).endpoints;
  }

  /** One of them, by its id. */
  async get(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("GET", pathOf(id), options)).endpoint;
  }

  /** Address, notices, format or labels; `status: "active"` ends a suspension. */
  async change(id: string, changes: EndpointChanges, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("PATCH", pathOf(id), options, changes)).endpoint;
  }

  /** Nothing is posted there any more. */
  async remove(id: string, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("DELETE", pathOf(id), options)).endpoint;
  }

  /** A new secret; for a day deliveries are signed with both. */
  rotate(id: string, options: CallOptions = {}): Promise<EndpointMade> {
    return this.#request("POST", `${pathOf(id)}/rotate`, options, {});
  }

  /** What was posted and what was answered, newest first. */
  deliveries(
    id: string,
    { cursor, limit, ...options }: CallOptions & DeliveryQuery = {},
  ): Promise<DeliveryPage> {
    const path = `${pathOf(id)}/deliveries${queryOf({ cursor, limit })}`;
    return this.#request("GET", path, options);
  }

  /** Sends again, what was given up too. Ends a suspension. */
  async replay(id: string, wish: ReplayInput, options: CallOptions = {}): Promise<Endpoint> {
    return (await this.#request("POST", `${pathOf(id)}/replay`, options, wish)).endpoint;
  }

  async #request(
    method: string,
    path: string,
    options: CallOptions,
    body?: unknown,
  ): Promise<WireAnswer["body"]> {
    const sent = body === undefined ? options : { ...options, body };
    return (await this.#requestWithKey(method, `/endpoints${path}`, sent)).body;
  }
}

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;
