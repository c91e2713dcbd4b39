/** The endpoints of an owner, by a key: sealed here, kept by the owner's directory. */
import type { Failure } from "../domain/failure";
import { endpointHexOf, type EndpointView } from "../domain/notices/endpoint";
import type { OwnerEndpointCommand } from "../domain/notices/owner-endpoint";
import type { Env } from "../env";
import type { DeliveryPage } from "../object/endpoint-messages";
import type { Reply } from "../object/messages";
import type { Caller } from "./caller";
import {
  readyToSeal,
  replayOf,
  type Changes,
  type ReplayWish,
  type Wanted,
} from "./endpoint-wishes";
import { keysOf } from "./keyring";
import { Objects } from "./objects";
import type { Holder } from "./owner-keys";
import { formatWebhookSecret, parseWebhookSecret, sealSecret, sealUrl } from "./sealed-endpoint";
import { drawSecret } from "./secrets";

interface WithSecret {
  readonly endpoint: EndpointView;
  /** Shown this once. */
  readonly secret: string;
}

const refused = (failure: Failure): Reply<never> => ({ ok: false, failure });
const UNKNOWN = refused({ code: "not_found", what: "endpoint" });

export class OwnerEndpoints {
  readonly #env: Env;
  readonly #objects: Objects;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#objects = new Objects(env, caller.call);
  }

  async add(holder: Holder, wanted: Wanted): Promise<Reply<WithSecret>> {
    const ready = readyToSeal(this.#env, wanted.url);
    if (!ready.ok) return refused(ready.error);
    const given = wanted.secret === undefined ? null : parseWebhookSecret(wanted.secret);
    if (given?.ok === false) return refused(given.error);
    const { ring, url } = ready.value;
    const secret = given === null ? drawSecret() : given.value;
    const hex = this.#objects.newEndpoint().toString();
    const { notices, format = "standard", labels = {} } = wanted;
    const secrets = [{ sealed: await sealSecret(ring, hex, secret), until: null }];
    const sealed = await sealUrl(ring, hex, url);
    const settings = { notices, format, labels, origin: url.origin, url: sealed, secrets };
    const reply = await this.#command(holder, { kind: "add", hex, settings });
    return withSecret(reply, wanted.secret ?? formatWebhookSecret(secret));
  }

  async change(holder: Holder, id: string, changes: Changes): Promise<Reply<EndpointView>> {
    const hex = endpointHexOf(id);
    const { url: given, ...rest } = changes;
    const ready = given === undefined ? null : readyToSeal(this.#env, given);
    if (ready?.ok === false) return refused(ready.error);
    if (hex === null) return UNKNOWN;
    if (ready === null) return this.#command(holder, { kind: "change", hex, ...rest });
    const { ring, url } = ready.value;
    const sealed = { url: await sealUrl(ring, hex, url), origin: url.origin };
    return this.#command(holder, { kind: "change", hex, ...rest, ...sealed });
  }

  async rotate(holder: Holder, id: string): Promise<Reply<WithSecret>> {
    const ring = keysOf(this.#env, "SEALING_KEYS");
    if (!ring.ok) return refused(ring.error);
    const hex = endpointHexOf(id);
    if (hex === null) return UNKNOWN;
    const secret = drawSecret();
    const sealed = await sealSecret(ring.value, hex, secret);
    const reply = await this.#command(holder, { kind: "rotate", hex, secret: sealed });
    return withSecret(reply, formatWebhookSecret(secret));
  }

  async replay(holder: Holder, id: string, wish: ReplayWish): Promise<Reply<EndpointView>> {
    const replay = replayOf(wish);
    if (!replay.ok) return refused(replay.error);
    const hex = endpointHexOf(id);
    if (hex === null) return UNKNOWN;
    return this.#command(holder, { kind: "replay", hex, replay: replay.value });
  }

  async remove(holder: Holder, id: string): Promise<Reply<EndpointView>> {
    const hex = endpointHexOf(id);
    return hex === null ? UNKNOWN : this.#command(holder, { kind: "remove", hex });
  }

  list({ owner }: Holder): Promise<Reply<readonly EndpointView[]>> {
    return this.#objects.ownerDirectory(owner.name, (directory) => directory.endpoints());
  }

  async get(holder: Holder, id: string): Promise<Reply<EndpointView>> {
    const all = await this.list(holder);
    if (!all.ok) return all;
    const found = all.value.find((one) => one.id === id);
    return found === undefined ? UNKNOWN : { ok: true, value: found };
  }

  /** Newest first. The directory says whose the endpoint is; its object knows what became of each. */
  async deliveries(
    holder: Holder,
    id: string,
    cursor: number | null,
    limit: number,
  ): Promise<Reply<DeliveryPage>> {
    const found = await this.get(holder, id);
    if (!found.ok) return found;
    const asked = this.#objects.endpoint<DeliveryPage>(endpointHexOf(id) ?? "", (endpoint) =>
      endpoint.deliveries(cursor, limit),
    );
    return asked ?? UNKNOWN;
  }

  async #command({ owner }: Holder, command: OwnerEndpointCommand): Promise<Reply<EndpointView>> {
    const reply = await this.#objects.ownerDirectory(owner.name, (directory) =>
      directory.commandEndpoint(owner.name, command),
    );
    if (!reply.ok) return reply;
    return reply.value.ok ? { ok: true, value: reply.value.value } : refused(reply.value.error);
  }
}

const withSecret = (reply: Reply<EndpointView>, secret: string): Reply<WithSecret> =>
  reply.ok ? { ok: true, value: { endpoint: reply.value, secret } } : reply;
