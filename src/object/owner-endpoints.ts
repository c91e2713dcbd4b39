/**
 * The endpoints of an owner, in the owner's directory: what they are, and the notices that are forwarded
 * to them. The directory keeps no notice: a session tells again until every endpoint that wants one has
 * acknowledged it, and an endpoint knows by session and seq what it has.
 */
import type { Failure } from "../domain/failure";
import type { EndpointStatus, EndpointView } from "../domain/notices/endpoint";
import type { ForwardedNotice } from "../domain/notices/notice";
import {
  decideEndpoint,
  ringsFor,
  suspendedNotice,
  type OwnerEndpointCommand,
} from "../domain/notices/owner-endpoint";
import { viewEndpoint } from "../domain/notices/stored-endpoint";
import { ok, type Result } from "../domain/result";
import type { Env } from "../env";
import type { EndpointEntry, OwnerEndpointStore } from "../storage/owner-endpoint-store";
import { endpointAt } from "./notice-steps";

export class OwnerEndpoints {
  readonly #env: () => Env;
  readonly #store: OwnerEndpointStore;

  constructor(env: () => Env, store: OwnerEndpointStore) {
    this.#env = env;
    this.#store = store;
  }

  /** Those that were not removed, oldest first. */
  list(): readonly EndpointView[] {
    const shown = this.#shown().map(({ endpoint }) => endpoint);
    return shown.toSorted((a, b) => a.createdAt - b.createdAt).map(viewEndpoint);
  }

  /** Written here first; its object is told by `settle`. */
  decide(owner: string, command: OwnerEndpointCommand, now: number): Result<EndpointView, Failure> {
    const shown = this.#shown();
    const entry = shown.find(({ endpoint }) => endpoint.hex === command.hex);
    const decided = decideEndpoint(owner, command, entry?.endpoint ?? null, shown.length, now);
    if (!decided.ok) return decided;
    const { endpoint, once } = decided.value;
    this.#store.save({ endpoint, untold: { ...entry?.untold, ...once } });
    return ok(viewEndpoint(endpoint));
  }

  get hasUntold(): boolean {
    return [...this.#store.entries().values()].some(({ untold }) => untold !== null);
  }

  /** Tells every object what it does not know yet; what fails stays noted. */
  async settle(): Promise<void> {
    const entries = [...this.#store.entries().values()];
    await Promise.allSettled(entries.map((entry) => this.#settleOne(entry)));
  }

  /** Throws where one did not acknowledge: then the session tells all of it again. */
  async forward(notices: readonly ForwardedNotice[]): Promise<void> {
    if (notices.length === 0) return;
    await each(this.#shown(), async (entry) => {
      const rings = ringsFor(entry.endpoint, notices);
      if (rings.length === 0) return;
      // It has to know what it is before its first notice.
      await this.#settleOne(entry);
      await endpointAt(this.#env(), entry.endpoint.hex).tell(rings);
    });
  }

  /** The session is gone. Throws where one did not acknowledge. */
  forget(sessionId: string): Promise<void> {
    return each(this.#shown(), ({ endpoint }) =>
      endpointAt(this.#env(), endpoint.hex).forget(sessionId),
    );
  }

  /** Repeated by the endpoint until it returns: the others are told before it is written down. */
  async note(hex: string, status: EndpointStatus, now: number): Promise<void> {
    const entry = this.#store.entries().get(hex);
    if (entry === undefined || status === "active" || entry.endpoint.status === status) return;
    if (status === "suspended") {
      await this.forward([{ notice: suspendedNotice(entry.endpoint, now), named: [] }]);
    }
    const current = this.#store.entries().get(hex);
    // Changed meanwhile, or removed: then what it reported is no longer so.
    if (current?.endpoint.version !== entry.endpoint.version) return;
    this.#store.save({ ...current, endpoint: { ...current.endpoint, status } });
  }

  async #settleOne({ endpoint, untold }: EndpointEntry): Promise<void> {
    if (untold === null) return;
    const { hex, owner, version, settings, createdAt } = endpoint;
    const object = endpointAt(this.#env(), hex);
    const { isRemoved = false, ...once } = untold;
    if (isRemoved) await object.remove();
    else {
      const home = { owner };
      await object.put({
        version,
        settings,
        home,
        createdAt,
        endsAt: null,
        isEnded: false,
        ...once,
      });
    }
    const current = this.#store.entries().get(hex);
    if (current?.endpoint.version !== version) return;
    if (isRemoved) this.#store.remove(hex);
    else this.#store.save({ ...current, untold: null });
  }

  #shown(): readonly EndpointEntry[] {
    return [...this.#store.entries().values()].filter(({ untold }) => untold?.isRemoved !== true);
  }
}

/** All of them are asked, whichever fails. */
async function each<T>(all: readonly T[], ask: (one: T) => Promise<void>): Promise<void> {
  const asked = await Promise.allSettled(all.map((one) => ask(one)));
  const failed = asked.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
